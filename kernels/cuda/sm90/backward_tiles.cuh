// Shared by the parts of the backward pass (attention_backward.cuh): memory, the producer, and
// how consumers walk through its tiles. Rows are the queries or the keys that a block owns, 64 for
// each of two warpgroups; columns, the others, stream past in a ring of stages.
#pragma once

#include "kernels/cuda/backward_tiles.cuh"
#include "kernels/cuda/sm90/warpgroup_bias.cuh"

namespace dietmt::kernels {

template <typename Element, int kHeadWidth, TermClass kTermClass, GradientPart kPart>
struct WarpgroupBackwardTiles {
  using E = Element;
  static constexpr int kWidth = kHeadWidth;
  static constexpr TermClass kTerms = kTermClass;
  static constexpr bool kQueryRows = kPart == GradientPart::kQueries;
  static constexpr bool kBiasGradient = has_offset_bias(kTerms) && kQueryRows;
  static constexpr int kStages = 3;
  static constexpr int kNumbers = 3;  // of a query
  static constexpr int kBytes = kTileBytes<kWidth>;
  using Ring = RingPlace<kStages>;
  using Tile = WarpgroupTile<kQueryRows>;

  struct Barriers {
    TransactionBarrier rows;
    TransactionBarrier rows_freed;  // by the consumers
    TransactionBarrier columns[kStages];
    TransactionBarrier columns_freed[kStages];
    TransactionBarrier partial;  // columns of a tile that must be cleared in part
  };

  /// Keys and values, or queries and grad_output.
  struct Pair {
    char* content;  // vectors of the scores
    char* value;    // vectors of the gradients of the probabilities
  };

  struct Memory {
    char* rows;     // [kGroups] pairs
    char* columns;  // [kStages] pairs
    Barriers* barriers;
    uint64_t* dropout_keys;  // of warps
    float* numbers;      // keys as rows: [kStages, 3, kTileTokens], of queries: normalisers, D, and
                         // (bits of uint32_t) where dropout begins
    float* offset_bias;  // [kStages, kBiasOffsets]
    float* bias_gradient;

    DIETMT_DEVICE Pair rows_of(int group) const {
      return {rows + 2 * group * kBytes, rows + (2 * group + 1) * kBytes};
    }
    DIETMT_DEVICE Pair columns_of(int stage) const {
      return {columns + 2 * stage * kBytes, columns + (2 * stage + 1) * kBytes};
    }
    DIETMT_DEVICE const float* numbers_of(int stage) const {
      return numbers + stage * kNumbers * kTileTokens;
    }
    DIETMT_DEVICE const float* bias_of(int stage) const {
      return offset_bias + stage * kBiasOffsets;
    }
  };

  /// The rows of a block, of one sentence.
  struct Place {
    Sentence sentence;
    int head;
    int start;  // first row
    bool causal;

    DIETMT_DEVICE int all_rows() const { return kQueryRows ? sentence.queries : sentence.keys; }
    DIETMT_DEVICE int all_columns() const { return kQueryRows ? sentence.keys : sentence.queries; }
    DIETMT_DEVICE int64_t first_row() const {
      return (kQueryRows ? sentence.query_begin : sentence.key_begin) + start;
    }
    DIETMT_DEVICE int first_column() const {
      return kQueryRows ? sentence.key_begin : sentence.query_begin;
    }
    DIETMT_DEVICE int groups() const { return all_rows() - start > kWarpgroupRows ? kGroups : 1; }
    /// Tiles of columns that the rows of a warpgroup meet: begin_of() .. end_of() - 1.
    DIETMT_DEVICE int begin_of(int group) const {
      return !kQueryRows && causal ? start / kTileTokens + group : 0;
    }
    DIETMT_DEVICE int end_of(int group) const {
      const int last = start + (group + 1) * kWarpgroupRows;
      const int all = all_columns();
      const int columns = kQueryRows && causal && last < all ? last : all;
      return (columns + kTileTokens - 1) / kTileTokens;
    }
    DIETMT_DEVICE int begin() const { return begin_of(0); }
    DIETMT_DEVICE int end() const { return end_of(groups() - 1); }
    DIETMT_DEVICE Tile tile_at(int group, int index) const {
      const int row_start = start + group * kWarpgroupRows;
      return {row_start, index * kTileTokens, all_rows() - row_start,
              all_columns() - index * kTileTokens};
    }
  };

  DIETMT_HOST_DEVICE static Memory take_memory(SharedMemory& shared) {
    Memory memory;
    memory.rows = shared.take<char>(2 * kGroups * kBytes);
    memory.columns = shared.take<char>(2 * kStages * kBytes);
    memory.barriers = shared.take<Barriers>(1);
    memory.dropout_keys = shared.take<uint64_t>((kGroups + 1) * kGroupWarps);
    memory.numbers = shared.take<float>(kQueryRows ? 0 : kStages * kNumbers * kTileTokens);
    memory.offset_bias = shared.take<float>(has_offset_bias(kTerms) ? kStages * kBiasOffsets : 0);
    memory.bias_gradient = kBiasGradient ? BiasGradient::take(shared) : nullptr;
    return memory;
  }

  DIETMT_HOST_DEVICE static int64_t shared_bytes() {
    SharedMemory shared(nullptr);
    take_memory(shared);
    return shared.used() + kPatternBytes - 16;
  }

  DIETMT_DEVICE static void init_barriers(Barriers& barriers) {
    constexpr int kConsumers = kGroups * kGroupWarps;
    init_barrier(&barriers.rows, 1);
    init_barrier(&barriers.rows_freed, kConsumers);
    init_barrier(&barriers.partial, 1);
    DIETMT_UNROLL
    for (int stage = 0; stage < kStages; ++stage) {
      init_barrier(&barriers.columns[stage], 1);
      init_barrier(&barriers.columns_freed[stage], kConsumers);
    }
    fence_async_proxy();
  }

  /// run(place) for the tiles of rows part, part + parts, .. of the list.
  template <typename Run>
  DIETMT_DEVICE static void for_own_rows(const AttentionSizes& sizes, int part, int parts, int head,
                                         const Run& run) {
    const DeviceTiles& tiles =
        kQueryRows ? sizes.device_query_tiles.single : sizes.device_key_tiles.single;
    const auto count = static_cast<int>(tiles.count);
    for (int index = part; index < count; index += parts) {
      const TileOfSentence tile = tiles.data[index];
      const Place place{sentence_at(sizes, tile.sentence), head, tile.tile * kRows, sizes.causal};
      if (place.start < place.all_rows()) run(place);
    }
  }

  /// The producer: one warp.
  struct Producer {
    const WarpgroupBackwardArguments& arguments;
    const Memory& memory;
    Ring ring;
    int rows_parity = 0;
    int partial_parity = 0;

    DIETMT_DEVICE void load_pair(const Pair& to, bool queries, int head, int token,
                                 TransactionBarrier* barrier) const {
      const TensorMap& content = queries ? arguments.queries : arguments.keys;
      const TensorMap& value = queries ? arguments.grad_output : arguments.values;
      load_tile<kWidth>(to.content, content, head, token, barrier);
      load_tile<kWidth>(to.value, value, head, token, barrier);
    }

    DIETMT_DEVICE void load_rows(const Place& place) {
      Barriers& barriers = *memory.barriers;
      wait_barrier(&barriers.rows_freed, rows_parity ^ 1);
      rows_parity ^= 1;
      if (lane_index() > 0) return;
      arrive_expecting(&barriers.rows, place.groups() * 2 * kBytes);
      for (int group = 0; group < place.groups(); ++group) {
        const int token = static_cast<int>(place.first_row()) + group * kWarpgroupRows;
        load_pair(memory.rows_of(group), kQueryRows, place.head, token, &barriers.rows);
      }
    }

    /// `number` of the tile's queries, a lane's two.
    DIETMT_DEVICE static FloatPair read_numbers(const float* number, int count, float absent) {
      FloatPair pair;
      DIETMT_UNROLL
      for (int i = 0; i < 2; ++i) {
        const int query = lane_index() + i * kWarpThreads;
        pair.of[i] = query < count ? number[query] : absent;
      }
      return pair;
    }

    /// Where dropout of the tile's queries from `first` on begins.
    DIETMT_DEVICE void store_dropout_starts(const Place& place, int first, float* to) const {
      const BackwardArguments& backward = arguments.backward;
      if (backward.dropout.threshold == 0) return;
      DIETMT_UNROLL
      for (int i = 0; i < 2; ++i) {
        const int query = lane_index() + i * kWarpThreads;
        to[i * kWarpThreads] =
            float_of(dropout_start(memory.dropout_keys, backward.call.forward.sizes, place.sentence,
                                   place.head, first + query));
      }
    }

    /// Copies a tile; `count` columns belong to the sentence. Others would be multiplied by
    /// zeros, which NaN survives.
    DIETMT_DEVICE void load_columns(const Pair& to, int head, int token, int count,
                                    TransactionBarrier* barrier) {
      const bool leader = lane_index() == 0;
      TransactionBarrier* const arrival = count < kTileTokens ? &memory.barriers->partial : barrier;
      if (leader) {
        arrive_expecting(arrival, 2 * kBytes);
        load_pair(to, !kQueryRows, head, token, arrival);
      }
      if (count >= kTileTokens) return;
      wait_barrier(arrival, partial_parity);
      partial_parity ^= 1;
      clear_tokens<kWidth>(to.content, count);
      if constexpr (!kQueryRows) clear_tokens<kWidth>(to.value, count);
      fence_async_proxy();
      sync_warp();
      if (leader) arrive(barrier);
    }

    DIETMT_DEVICE void run(const Place& place) {
      if (place.begin() >= place.end()) return;
      load_rows(place);
      const AttentionForward& call = arguments.backward.call.forward;
      Barriers& barriers = *memory.barriers;
      for (int index = place.begin(); index < place.end(); ++index, ring.advance()) {
        const int stage = ring.stage;
        const int column = index * kTileTokens;
        const int count = place.all_columns() - column;
        const int token = place.first_column() + column;
        BiasOfTile bias;
        FloatPair normalizer;
        FloatPair delta;
        if constexpr (has_offset_bias(kTerms)) {
          bias.read<kQueryRows>(call.terms, place.head, place.start, column);
        }
        if constexpr (!kQueryRows) {
          const int64_t from = place.head * query_tokens(call.sizes) + token;
          normalizer = read_numbers(call.log_normalizer + from, count,
                                    std::numeric_limits<float>::infinity());
          delta = read_numbers(arguments.backward.delta + from, count, 0.0f);
        }
        wait_barrier(&barriers.columns_freed[stage], ring.parity ^ 1);
        if constexpr (has_offset_bias(kTerms)) {
          bias.write(memory.offset_bias + stage * kBiasOffsets);
        }
        if constexpr (!kQueryRows) {
          float* to = memory.numbers + stage * kNumbers * kTileTokens + lane_index();
          store_dropout_starts(place, column, to + 2 * kTileTokens);
          DIETMT_UNROLL
          for (int i = 0; i < 2; ++i) {
            to[i * kWarpThreads] = normalizer.of[i] * kLog2E;
            to[kTileTokens + i * kWarpThreads] = delta.of[i];
          }
        }
        sync_warp();
        load_columns(memory.columns_of(stage), place.head, token, count, &barriers.columns[stage]);
      }
    }
  };

  /// A consumer warpgroup walks through the tiles of columns.
  struct Consumer {
    Barriers& barriers;
    Ring ring;
    int rows_parity = 0;

    DIETMT_DEVICE void await_rows() {
      wait_barrier(&barriers.rows, rows_parity);
      rows_parity ^= 1;
    }
    DIETMT_DEVICE void await_columns() const {
      wait_barrier(&barriers.columns[ring.stage], ring.parity);
    }
    DIETMT_DEVICE void free_columns(int stage) const {
      if (lane_index() == 0) arrive(&barriers.columns_freed[stage]);
    }
    /// Passes tiles that only the other warpgroup needs. Without the wait, a warpgroup could free a
    /// stage twice before the other frees it once.
    DIETMT_DEVICE void skip(int tiles) {
      for (int i = 0; i < tiles; ++i) {
        await_columns();
        sync_warp();
        free_columns(ring.stage);
        ring.advance();
      }
    }
    DIETMT_DEVICE void free_rows() const {
      sync_warp();
      if (lane_index() == 0) arrive(&barriers.rows_freed);
    }
  };

  /// Products become probabilities: 2^(score - normalizer), zero where nothing is visible.
  /// number(i) is the normaliser of scores.value[i] in units of log 2.
  template <typename Number>
  DIETMT_DEVICE static void recompute(WarpgroupScores& scores, float factor, const float* bias,
                                      const Tile& tile, bool causal, const Number& number) {
    if constexpr (has_offset_bias(kTerms)) add_offset_bias<kQueryRows>(scores, factor, bias);
    DIETMT_UNROLL
    for (int i = 0; i < kTileTokens / 2; ++i) {
      float& score = scores.value[i];
      const float shift = number(i);
      score = exp2_fast(has_offset_bias(kTerms) ? score - shift : score * factor - shift);
    }
    replace_hidden(scores, 0.0f, tile, causal);
  }

  /// Gradients of the probabilities after dropout become those of the scores. number(i) is D.
  template <typename Number>
  DIETMT_DEVICE static void differentiate(WarpgroupScores& grad, const WarpgroupScores& scores,
                                          uint32_t kept, float dropout_scale, const Tile& tile,
                                          bool causal, const Number& number) {
    DIETMT_UNROLL
    for (int i = 0; i < kTileTokens / 2; ++i) {
      const float factor = (kept >> i & 1U) != 0 ? dropout_scale : 0.0f;
      grad.value[i] = scores.value[i] * (grad.value[i] * factor - number(i));
    }
    // Rows and columns of other sentences may be NaN.
    replace_hidden(grad, 0.0f, tile, causal);
  }
};

}  // namespace dietmt::kernels
