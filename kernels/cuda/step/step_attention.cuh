// Attention of one step of cached decoding (DeviceStepAttention), one head of up to kQueries
// queries of a group at a time. A warp computes one query; the warps of a block share out the keys
// of several. kLanes lanes share a key, 8 numbers each, so a warp reads 32 / kLanes keys at a time,
// each in pieces of 16 bytes. These sub-warps keep their own running softmax (Milakov and
// Gimelshein 2018) and are joined at the end: no exchange between them, nor between warps, while
// keys are read. The next key of a sub-warp, and the slot of the one after it, load meanwhile.
#pragma once

#include "kernels/cuda/primitives.h"
#include "kernels/cuda/step/vectors.cuh"
#include "kernels/device_kernels.h"

namespace dietmt::kernels {

struct StepAttentionArguments {
  DeviceStepAttention call;
  HeadScales scales;
};

/// A lane's part of the output of a query.
struct StepSum {
  float output[kLaneNumbers] = {};
  float highest = -1e30f;  // score so far, times log2(e)
  float weight = 0.0f;     // sum of 2^(score - highest)
};

template <typename E, int kLanes, int kQueries>
class StepAttentionBlock {
 public:
  using Arguments = StepAttentionArguments;
  static constexpr int kKeysAtOnce = kWarpThreads / kLanes;
  static constexpr int kKeyWarps = kQueries == 1 ? 1 : kWarps;  // that share the keys of a head
  static constexpr int kBlocksTogether = kQueries == 1 ? 5 : 4;

  static size_t shared_bytes(const Arguments&) { return kKeyWarps == 1 ? 0 : sizeof(Shared); }
  static BlockIndex grid(const DeviceStepAttention& call) {
    const int64_t warps = call.groups * call.heads * kKeyWarps;
    const int64_t chunks = (call.rows_per_group + kQueries - 1) / kQueries;
    return {static_cast<int>((warps + kWarps - 1) / kWarps), static_cast<int>(chunks), 1};
  }

  static DIETMT_DEVICE void run(const Arguments& arguments, BlockIndex block, char* memory) {
    const int pair = (block.x * kWarps + warp_index()) / kKeyWarps;
    if (pair >= arguments.call.groups * arguments.call.heads) return;
    StepAttentionBlock one(arguments, pair, block.y, reinterpret_cast<Shared*>(memory));
    one.read_keys();
    if constexpr (kKeyWarps == 1)
      one.store(0, one.sums_[0]);
    else
      one.join_warps();
  }

 private:
  struct Part {
    float output[kLaneNumbers][kWarpThreads];
    float highest[kWarpThreads];
    float weight[kWarpThreads];
  };
  struct Shared {
    Part parts[kQueries][kWarps];
    alignas(16) E queries[kQueries][kLanes * kLaneNumbers];
  };
  struct Key {
    RawNumbers<E> key;
    RawNumbers<E> value;
  };

  DIETMT_DEVICE StepAttentionBlock(const Arguments& arguments, int pair, int chunk, Shared* shared)
      : call_(arguments.call),
        shared_(shared),
        group_(pair / static_cast<int>(call_.heads)),
        head_(pair % static_cast<int>(call_.heads)),
        first_row_(group_ * static_cast<int>(call_.rows_per_group) + chunk * kQueries),
        rows_(static_cast<int>(call_.rows_per_group) - chunk * kQueries),
        first_((lane_index() % kLanes) * kLaneNumbers),
        valid_(first_ < call_.head_width),
        position_(static_cast<int>(call_.positions[group_])),
        count_(static_cast<int>(call_.counts[group_])),
        scale_(arguments.scales.of[head_]) {}

  DIETMT_DEVICE bool has_row(int q) const { return q < rows_; }

  DIETMT_DEVICE int64_t element(const HeadRows& rows, int64_t token) const {
    return token * rows.token_stride + head_ * call_.head_width + first_;
  }

  /// A query stays in registers; several lie in shared memory.
  DIETMT_DEVICE void load_queries() {
    for (int q = warp_index() % kKeyWarps; q < kQueries; q += kKeyWarps) {
      query_ = {};
      if (valid_ && has_row(q))
        query_ = load_raw<E>(call_.queries.data, element(call_.queries, first_row_ + q));
      if (kQueries > 1 && lane_index() < kLanes) store_raw<E>(query_, shared_->queries[q], first_);
    }
    if constexpr (kQueries > 1) sync_block();
  }

  DIETMT_DEVICE void query_of(int q, float (&to)[kLaneNumbers]) const {
    numbers_of(kQueries == 1 ? query_ : load_raw<E>(shared_->queries[q], first_), to);
  }

  /// The row of a table [H|1, 2C+1, Dh] at the offset of a key.
  DIETMT_DEVICE void load_relative(const HeadTable& table, int64_t clip, int key,
                                   float (&to)[kLaneNumbers]) const {
    const int64_t row = clipped_offset(key - position_, clip);
    load_vector<float>(table.data,
                       recomputed(head_) * table.head_stride + row * call_.head_width + first_, to);
  }

  /// The last key of a row comes with the call, and its first query's warp keeps it.
  DIETMT_DEVICE Key load_key(int key, int slot) const {
    if (!valid_ || key >= count_) return {};
    if (kQueries > 1 || call_.new_keys.data == nullptr || key != count_ - 1)
      return {load_raw<E>(call_.keys.data, element(call_.keys, slot)),
              load_raw<E>(call_.values.data, element(call_.values, slot))};
    const Key last = {load_raw<E>(call_.new_keys.data, element(call_.new_keys, group_)),
                      load_raw<E>(call_.new_values.data, element(call_.new_values, group_))};
    store_raw<E>(last.key, call_.keys.data, element(call_.keys, slot));
    store_raw<E>(last.value, call_.values.data, element(call_.values, slot));
    return last;
  }

  DIETMT_DEVICE int slot_of(int key) const {
    return key < count_ ? call_.slots[group_ * call_.slot_stride + key] : 0;
  }

  /// What positions add to the score of a key; the same for all queries. Each lane of a sub-warp
  /// has a part of the sum.
  DIETMT_DEVICE float position_part(int key) const {
    const int head = recomputed(head_);
    const AttentionTables& tables = call_.terms.tables;
    float sum = 0.0f;
    const int lane = lane_index() % kLanes;
    if (lane == 0 && tables.position_bias.data != nullptr)
      sum += tables.position_bias
                 .data[head * tables.position_bias.head_stride + position_ * call_.bias_keys + key];
    if (lane == 0 && tables.offset_bias.data != nullptr)
      sum += tables.offset_bias.data[head * tables.offset_bias.head_stride +
                                     clipped_offset(key - position_, call_.terms.bias_clip)];
    if (tables.query_features.data == nullptr) return sum;
    const int64_t rank = call_.terms.rank;
    const float* query =
        tables.query_features.data + head * tables.query_features.head_stride + position_ * rank;
    const float* of_key =
        tables.key_features.data + head * tables.key_features.head_stride + key * rank;
    for (int64_t r = lane; r < rank; r += kLanes) sum += query[r] * of_key[r];
    return sum;
  }

  DIETMT_DEVICE void read_keys() {
    constexpr int kStep = kKeysAtOnce * kKeyWarps;
    int first = warp_index() % kKeyWarps * kKeysAtOnce;  // of the warp
    int key = first + lane_index() / kLanes;
    int slot = slot_of(key + kStep);
    Key next = load_key(key, slot_of(key));
    load_queries();
    DIETMT_ROLLED
    for (; first < count_; first += kStep, key += kStep) {
      const Key now = next;
      next = load_key(key + kStep, slot);
      slot = slot_of(key + 2 * kStep);
      read_key(key, now);
    }
  }

  // All lanes come here for every key, since they exchange parts of the score.
  DIETMT_DEVICE void read_key(int key, const Key& raw) {
    const AttentionTerms& terms = call_.terms;
    const bool visible = key < count_, mine = valid_ && visible;
    float k[kLaneNumbers], v[kLaneNumbers], by_key[kLaneNumbers];
    numbers_of(raw.key, k);
    float of_key = 0.0f;  // k . relative_queries
    if (mine && terms.tables.relative_queries.data != nullptr) {
      load_relative(terms.tables.relative_queries, terms.query_clip, key, by_key);
      for (int d = 0; d < kLaneNumbers; ++d) of_key += k[d] * by_key[d];
    }
    if (mine && terms.tables.relative_keys.data != nullptr) {
      load_relative(terms.tables.relative_keys, terms.key_clip, key, by_key);
      for (int d = 0; d < kLaneNumbers; ++d) k[d] += by_key[d];
    }
    const float added = visible ? position_part(key) : 0.0f;
    float scores[kQueries];
    DIETMT_UNROLL
    for (int q = 0; q < kQueries; ++q) {
      float query[kLaneNumbers];
      query_of(q, query);
      scores[q] = of_key;
      for (int d = 0; d < kLaneNumbers; ++d) scores[q] += query[d] * k[d];
      scores[q] = lane_sum<kLanes>(scores[q] * scale_ + added) * kLog2E;
    }
    if (!visible) return;
    numbers_of(raw.value, v);
    if (mine && terms.tables.relative_values.data != nullptr) {
      load_relative(terms.tables.relative_values, terms.value_clip, key, by_key);
      for (int d = 0; d < kLaneNumbers; ++d) v[d] += by_key[d];
    }
    DIETMT_UNROLL
    for (int q = 0; q < kQueries; ++q) add_value(scores[q], v, sums_[q]);
  }

  static DIETMT_DEVICE void add_value(float score, const float (&v)[kLaneNumbers], StepSum& sum) {
    if (score > sum.highest) {
      const float shrink = exp2_fast(sum.highest - score);
      sum.weight *= shrink;
      for (int d = 0; d < kLaneNumbers; ++d) sum.output[d] *= shrink;
      sum.highest = score;
    }
    const float weight = exp2_fast(score - sum.highest);
    sum.weight += weight;
    for (int d = 0; d < kLaneNumbers; ++d) sum.output[d] += weight * v[d];
  }

  /// Joins the sums of the warps in their order. Each warp does so for some of the queries.
  DIETMT_DEVICE void join_warps() {
    const int lane = lane_index();
    DIETMT_UNROLL
    for (int q = 0; q < kQueries; ++q) {
      Part& part = shared_->parts[q][warp_index()];
      for (int d = 0; d < kLaneNumbers; ++d) part.output[d][lane] = sums_[q].output[d];
      part.highest[lane] = sums_[q].highest;
      part.weight[lane] = sums_[q].weight;
    }
    sync_block();
    for (int q = warp_index(); q < kQueries && has_row(q); q += kWarps) {
      StepSum sum;
      for (const Part& part : shared_->parts[q])
        sum.highest = part.highest[lane] > sum.highest ? part.highest[lane] : sum.highest;
      for (const Part& part : shared_->parts[q]) {
        const float shrink = exp2_fast(part.highest[lane] - sum.highest);
        sum.weight += part.weight[lane] * shrink;
        for (int d = 0; d < kLaneNumbers; ++d) sum.output[d] += part.output[d][lane] * shrink;
      }
      store(q, sum);
    }
  }

  /// Joins the sums of the sub-warps, and stores the output of query q.
  DIETMT_DEVICE void store(int q, StepSum& sum) {
    float highest = sum.highest;
    DIETMT_UNROLL
    for (int mask = kLanes; mask < kWarpThreads; mask *= 2) {
      const float other = shuffle_xor(highest, mask);
      highest = other > highest ? other : highest;
    }
    const float shrink = exp2_fast(sum.highest - highest);
    const float weight = sub_warp_sum<kLanes>(sum.weight * shrink);
    for (int d = 0; d < kLaneNumbers; ++d)
      sum.output[d] = sub_warp_sum<kLanes>(sum.output[d] * shrink) / weight;
    if (lane_index() < kLanes && valid_)
      store_vector<E>(sum.output, call_.output.data, element(call_.output, first_row_ + q));
  }

  static constexpr float kLog2E = 1.44269504f;

  const DeviceStepAttention& call_;
  Shared* const shared_;  // null: one query
  const int group_;
  const int head_;
  const int first_row_;
  const int rows_;    // from first_row_ on
  const int first_;   // of this lane's numbers of a head
  const bool valid_;  // the head is that wide
  const int position_;
  const int count_;
  const float scale_;
  RawNumbers<E> query_;
  StepSum sums_[kQueries];
};

/// launch.template operator()<Block>(grid, arguments) starts the blocks.
template <typename E, int kQueries, typename Launcher>
void launch_step_attention(Launcher& launcher, const StepAttentionArguments& arguments) {
  const auto launch = [&]<int kLanes>(LaneCount<kLanes>) {
    using Block = StepAttentionBlock<E, kLanes, kQueries>;
    launcher.template launch<Block>(Block::grid(arguments.call), arguments);
  };
  const int64_t width = arguments.call.head_width;
  if (width <= 32) return launch(LaneCount<4>());
  if (width <= 64) return launch(LaneCount<8>());
  if (width <= 128) return launch(LaneCount<16>());
  return launch(LaneCount<32>());
}

template <typename Launcher>
void step_attention_on(Launcher& launcher, const DeviceStepAttention& call) {
  StepAttentionArguments arguments{call, {}};
  for (int64_t h = 0; h < call.heads; ++h) arguments.scales.of[h] = call.terms.content_scale[h];
  const auto launch = [&]<typename E>(E) {
    if (call.rows_per_group == 1)
      launch_step_attention<E, 1>(launcher, arguments);
    else
      launch_step_attention<E, kStepQueries>(launcher, arguments);
  };
  if (call.type == ElementType::kBFloat16) return launch(BFloat16());
  if (call.type == ElementType::kHalf) return launch(Half());
  return launch(float());
}

}  // namespace dietmt::kernels
