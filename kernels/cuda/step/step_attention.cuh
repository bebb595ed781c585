// Attention of one step of cached decoding (DeviceStepAttention). A warp computes one head of up to
// kQueries queries of a group. kLanes lanes share a key, 8 numbers each, so a warp reads 32 /
// kLanes keys at a time, each in pieces of 16 bytes. These sub-warps keep their own running softmax
// (Milakov and Gimelshein 2018) over every (32 / kLanes)th key and join them at the end: no
// exchange between them, nor between warps, while keys are read.
#pragma once

#include "kernels/cuda/primitives.h"
#include "kernels/cuda/step/vectors.cuh"
#include "kernels/device_kernels.h"

namespace dietmt::kernels {

struct StepAttentionArguments {
  DeviceStepAttention call;
  HeadScales scales;
};

/// Queries that the sub-warps of a warp read a key for.
template <int kQueries>
struct StepSums {
  float query[kQueries][kLaneNumbers];
  float output[kQueries][kLaneNumbers];
  float highest[kQueries];  // score so far, times log2(e)
  float weight[kQueries];   // sum of 2^(score - highest)
};

template <typename E, int kLanes, int kQueries>
class StepAttentionBlock {
 public:
  using Arguments = StepAttentionArguments;
  static constexpr int kKeysAtOnce = kWarpThreads / kLanes;
  static constexpr int kBlocksTogether = kQueries == 1 ? 4 : 0;  // else fp16 has a stack

  static size_t shared_bytes(const Arguments&) { return 0; }
  static BlockIndex grid(const DeviceStepAttention& call) {
    const int64_t pairs = call.groups * call.heads;
    const int64_t chunks = (call.rows_per_group + kQueries - 1) / kQueries;
    return {static_cast<int>((pairs + kWarps - 1) / kWarps), static_cast<int>(chunks), 1};
  }

  static DIETMT_DEVICE void run(const Arguments& arguments, BlockIndex block, char*) {
    const int64_t pair = int64_t{block.x} * kWarps + warp_index();
    if (pair >= arguments.call.groups * arguments.call.heads) return;
    StepAttentionBlock one(arguments, pair, block.y);
    one.load_queries();
    one.read_keys();
    one.join();
    one.store();
  }

 private:
  DIETMT_DEVICE StepAttentionBlock(const Arguments& arguments, int64_t pair, int chunk)
      : call_(arguments.call),
        group_(pair / call_.heads),
        head_(pair % call_.heads),
        first_row_(group_ * call_.rows_per_group + chunk * kQueries),
        rows_(call_.rows_per_group - chunk * kQueries),
        first_((lane_index() % kLanes) * kLaneNumbers),
        valid_(first_ < call_.head_width),
        position_(call_.positions[group_]),
        count_(call_.counts[group_]),
        scale_(arguments.scales.of[head_]) {}

  DIETMT_DEVICE bool has_row(int q) const { return q < rows_; }

  DIETMT_DEVICE int64_t element(const HeadRows& rows, int64_t token) const {
    return token * rows.token_stride + head_ * call_.head_width + first_;
  }

  DIETMT_DEVICE void load_queries() {
    DIETMT_UNROLL
    for (int q = 0; q < kQueries; ++q) {
      sums_.highest[q] = kLowest;
      sums_.weight[q] = 0.0f;
      for (int d = 0; d < kLaneNumbers; ++d) sums_.query[q][d] = sums_.output[q][d] = 0.0f;
      if (valid_ && has_row(q))
        load_vector<E>(call_.queries.data, element(call_.queries, first_row_ + q), sums_.query[q]);
    }
  }

  /// The row of a table [H|1, 2C+1, Dh] at the offset of a key.
  DIETMT_DEVICE void load_relative(const HeadTable& table, int64_t clip, int64_t key,
                                   float (&to)[kLaneNumbers]) const {
    load_vector<float>(table.data,
                       head_ * table.head_stride +
                           clipped_offset(key - position_, clip) * call_.head_width + first_,
                       to);
  }

  /// The last key of a row comes with the call, and its first query's warp keeps it.
  DIETMT_DEVICE void load_key(int64_t key, float (&k)[kLaneNumbers],
                              float (&v)[kLaneNumbers]) const {
    const int64_t slot = call_.slots[group_ * call_.slot_stride + key];
    if (call_.new_keys.data != nullptr && key == count_ - 1) {
      load_vector<E>(call_.new_keys.data, element(call_.new_keys, group_), k);
      load_vector<E>(call_.new_values.data, element(call_.new_values, group_), v);
      store_vector<E>(k, call_.keys.data, element(call_.keys, slot));
      store_vector<E>(v, call_.values.data, element(call_.values, slot));
      return;
    }
    load_vector<E>(call_.keys.data, element(call_.keys, slot), k);
    load_vector<E>(call_.values.data, element(call_.values, slot), v);
  }

  /// What positions add to the score of a key; the same for all queries. Each lane of a sub-warp
  /// has a part of the sum.
  DIETMT_DEVICE float position_part(int64_t key) const {
    const AttentionTables& tables = call_.terms.tables;
    float sum = 0.0f;
    const int lane = lane_index() % kLanes;
    if (lane == 0 && tables.position_bias.data != nullptr)
      sum +=
          tables.position_bias
              .data[head_ * tables.position_bias.head_stride + position_ * call_.bias_keys + key];
    if (lane == 0 && tables.offset_bias.data != nullptr)
      sum += tables.offset_bias.data[head_ * tables.offset_bias.head_stride +
                                     clipped_offset(key - position_, call_.terms.bias_clip)];
    if (tables.query_features.data == nullptr) return sum;
    const int64_t rank = call_.terms.rank;
    const float* query =
        tables.query_features.data + head_ * tables.query_features.head_stride + position_ * rank;
    const float* of_key =
        tables.key_features.data + head_ * tables.key_features.head_stride + key * rank;
    for (int64_t r = lane; r < rank; r += kLanes) sum += query[r] * of_key[r];
    return sum;
  }

  DIETMT_DEVICE void read_keys() {
    const int sub_warp = lane_index() / kLanes;
    for (int64_t first = 0; first < count_; first += kKeysAtOnce) {
      const int64_t key = first + sub_warp;
      read_key(key < count_ ? key : count_ - 1, key < count_);
    }
  }

  // All lanes come here for every key, since they exchange parts of the score.
  DIETMT_DEVICE void read_key(int64_t key, bool visible) {
    const AttentionTerms& terms = call_.terms;
    float k[kLaneNumbers] = {}, v[kLaneNumbers] = {}, by_key[kLaneNumbers] = {};
    if (valid_ && visible) {
      load_key(key, k, v);
      if (terms.tables.relative_queries.data != nullptr)
        load_relative(terms.tables.relative_queries, terms.query_clip, key, by_key);
    }
    float of_key = 0.0f;  // k . relative_queries
    for (int d = 0; d < kLaneNumbers; ++d) of_key += k[d] * by_key[d];
    if (valid_ && visible && terms.tables.relative_keys.data != nullptr) {
      load_relative(terms.tables.relative_keys, terms.key_clip, key, by_key);
      for (int d = 0; d < kLaneNumbers; ++d) k[d] += by_key[d];
    }
    if (valid_ && visible && terms.tables.relative_values.data != nullptr) {
      load_relative(terms.tables.relative_values, terms.value_clip, key, by_key);
      for (int d = 0; d < kLaneNumbers; ++d) v[d] += by_key[d];
    }
    const float added = visible ? position_part(key) : 0.0f;
    DIETMT_UNROLL
    for (int q = 0; q < kQueries; ++q) {
      float score = of_key;
      for (int d = 0; d < kLaneNumbers; ++d) score += sums_.query[q][d] * k[d];
      score = lane_sum<kLanes>(score * scale_ + added) * kLog2E;
      if (visible) add_value(q, score, v);
    }
  }

  DIETMT_DEVICE void add_value(int q, float score, const float (&v)[kLaneNumbers]) {
    if (score > sums_.highest[q]) {
      const float shrink = exp2_fast(sums_.highest[q] - score);
      sums_.weight[q] *= shrink;
      for (int d = 0; d < kLaneNumbers; ++d) sums_.output[q][d] *= shrink;
      sums_.highest[q] = score;
    }
    const float weight = exp2_fast(score - sums_.highest[q]);
    sums_.weight[q] += weight;
    for (int d = 0; d < kLaneNumbers; ++d) sums_.output[q][d] += weight * v[d];
  }

  /// Joins the sums of the sub-warps.
  DIETMT_DEVICE void join() {
    DIETMT_UNROLL
    for (int q = 0; q < kQueries; ++q) {
      float highest = sums_.highest[q];
      for (int mask = kLanes; mask < kWarpThreads; mask *= 2) {
        const float other = shuffle_xor(highest, mask);
        highest = other > highest ? other : highest;
      }
      const float shrink = exp2_fast(sums_.highest[q] - highest);
      sums_.weight[q] = sub_warp_sum<kLanes>(sums_.weight[q] * shrink);
      for (int d = 0; d < kLaneNumbers; ++d)
        sums_.output[q][d] = sub_warp_sum<kLanes>(sums_.output[q][d] * shrink);
    }
  }

  DIETMT_DEVICE void store() {
    if (lane_index() >= kLanes || !valid_) return;
    DIETMT_UNROLL
    for (int q = 0; q < kQueries; ++q) {
      if (!has_row(q)) continue;
      for (int d = 0; d < kLaneNumbers; ++d) sums_.output[q][d] /= sums_.weight[q];
      store_vector<E>(sums_.output[q], call_.output.data, element(call_.output, first_row_ + q));
    }
  }

  static constexpr float kLowest = -1e30f;
  static constexpr float kLog2E = 1.44269504f;

  const DeviceStepAttention& call_;
  const int64_t group_;
  const int64_t head_;
  const int64_t first_row_;
  const int64_t rows_;   // from first_row_ on
  const int64_t first_;  // of this lane's numbers of a head
  const bool valid_;     // the head is that wide
  const int64_t position_;
  const int64_t count_;
  const float scale_;
  StepSums<kQueries> sums_;
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
