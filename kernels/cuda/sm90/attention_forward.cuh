// The forward pass by wgmma and TMA (Shah et al. 2024, "FlashAttention-3"). A block owns 128
// queries of one head of one sentence. Its last warp, the producer, copies keys and values into a
// ring of stages; two warpgroups of 64 queries each consume them. Two blocks share a multiprocessor
// if the registers allow, so that the products of one warpgroup run beside the softmax of others.
//
// Boxes end where tiles do, not where sentences do, so tiles can hold rows of the next sentence.
// Scores of such keys are masked, and the producer clears such values: 0 times NaN is NaN.
#pragma once

#include <limits>

#include "kernels/cuda/sm90/forward_plan.h"
#include "kernels/cuda/sm90/warpgroup_rows.cuh"
#include "kernels/cuda/tile.cuh"
#include "kernels/dropout.h"

namespace dietmt::kernels {

/// grid: the list of tiles of queries, times heads.
template <typename Element, int kHeadWidth, TermClass kTermClass>
struct WarpgroupForwardBlock {
  using Arguments = WarpgroupForwardArguments;
  using E = Element;
  static constexpr int kWidth = kHeadWidth;
  static constexpr TermClass kTerms = kTermClass;
  static constexpr int kGroups = kRows / kWarpgroupRows;  // consumers
  static constexpr int kGroupWarps = kWarpgroupThreads / kWarpThreads;
  static constexpr int kProducer = kGroups * kGroupWarps;  // warp
  static constexpr int kBlockThreads = (kProducer + 1) * kWarpThreads;
  static constexpr int kBlocksTogether = kWidth == 64 ? 2 : 1;
  static constexpr int kColumns = kKeyColumns;
  static constexpr int kStages = 3;
  static constexpr int kBoxWidth = 64;  // columns of a box: rows of 128 bytes
  static constexpr int kBoxes = kWidth / kBoxWidth;
  static constexpr int kRowBytes = kBoxWidth * 2;
  static constexpr int kPatternBytes = 8 * kRowBytes;
  static constexpr int kQueryBytes = kRows * kWidth * 2;
  static constexpr int kTileBytes = kColumns * kWidth * 2;
  static constexpr int kOffsets = kWarpgroupRows + kColumns;  // of a warpgroup's tile, and one more
  using Scores = WarpgroupRows<kColumns>;

  struct Barriers {
    TransactionBarrier queries;
    TransactionBarrier keys[kStages];
    TransactionBarrier values[kStages];
    TransactionBarrier freed[kStages];  // by the consumers
    TransactionBarrier partial;         // values of a tile that has to be cleared in part
  };

  struct Memory {
    char* queries;  // [kBoxes, kRows] rows of a box
    char* keys;     // [kStages, kBoxes, kColumns]
    char* values;   // the same
    Barriers* barriers;
    float* offset_bias;  // [kGroups, 2, kOffsets]
  };

  struct Place {
    const ForwardArguments& arguments;
    Sentence sentence;
    int head;
    int start;   // first query
    int keys;    // that the block's queries see
    int groups;  // that have queries
  };

  struct Softmax {
    float maximum[kRowSlots];
    float sum[kRowSlots];  // of only the columns of this thread
  };

  DIETMT_HOST_DEVICE static Memory take_memory(SharedMemory& shared) {
    Memory memory;
    memory.queries = shared.take<char>(kQueryBytes);
    memory.keys = shared.take<char>(kStages * kTileBytes);
    memory.values = shared.take<char>(kStages * kTileBytes);
    memory.barriers = shared.take<Barriers>(1);
    memory.offset_bias = shared.take<float>(has_offset_bias(kTerms) ? kGroups * 2 * kOffsets : 0);
    return memory;
  }

  /// With room to begin at a pattern.
  DIETMT_HOST_DEVICE static int64_t shared_bytes(const Arguments&) {
    SharedMemory shared(nullptr);
    take_memory(shared);
    return shared.used() + kPatternBytes - 16;
  }

  DIETMT_DEVICE static void init_barriers(const Memory& memory, int groups) {
    Barriers& barriers = *memory.barriers;
    init_barrier(&barriers.queries, 1);
    init_barrier(&barriers.partial, 1);
    DIETMT_UNROLL
    for (int stage = 0; stage < kStages; ++stage) {
      init_barrier(&barriers.keys[stage], 1);
      init_barrier(&barriers.values[stage], 1);
      init_barrier(&barriers.freed[stage], groups * kGroupWarps);
    }
    fence_async_proxy();
  }

  /// Starts copying kCount tokens.
  template <int kCount>
  DIETMT_DEVICE static void load(char* to, const TensorMap& map, int head, int token,
                                 TransactionBarrier* barrier) {
    arrive_expecting(barrier, kCount * kWidth * 2);
    DIETMT_UNROLL
    for (int box = 0; box < kBoxes; ++box) {
      const int at[3] = {box * kBoxWidth, head, token};
      load_box(to + box * kCount * kRowBytes, map, at, barrier);
    }
  }

  /// Copies the values of a tile that ends beyond the sentence, and clears the rows after it. All
  /// lanes of the producer call it.
  DIETMT_DEVICE static void load_partial(char* to, const TensorMap& map, int head, int token,
                                         int count, Barriers& barriers,
                                         TransactionBarrier* barrier) {
    if (lane_index() == 0) load<kColumns>(to, map, head, token, &barriers.partial);
    wait_barrier(&barriers.partial, 0);
    constexpr int kPieces = kRowBytes / 16;
    for (int box = 0; box < kBoxes; ++box) {
      char* rows = to + box * kColumns * kRowBytes;
      for (int i = count * kPieces + lane_index(); i < kColumns * kPieces; i += kWarpThreads) {
        store_words(rows + 16 * i, {{0, 0, 0, 0}});
      }
    }
    fence_async_proxy();
    sync_warp();
    if (lane_index() == 0) arrive(barrier);
  }

  DIETMT_DEVICE static void produce(const Arguments& arguments, const Place& place,
                                    const Memory& memory) {
    Barriers& barriers = *memory.barriers;
    const Sentence& sentence = place.sentence;
    const bool leader = lane_index() == 0;
    if (leader) {
      load<kRows>(memory.queries, arguments.queries, place.head, sentence.query_begin + place.start,
                  &barriers.queries);
    }
    for (int index = 0; index * kColumns < place.keys; ++index) {
      const int stage = index % kStages;
      const int token = sentence.key_begin + index * kColumns;
      const int count = sentence.keys - index * kColumns;
      char* values = memory.values + stage * kTileBytes;
      wait_barrier(&barriers.freed[stage], index / kStages % 2 == 0 ? 1 : 0);
      if (leader) {
        load<kColumns>(memory.keys + stage * kTileBytes, arguments.keys, place.head, token,
                       &barriers.keys[stage]);
      }
      if (count < kColumns) {
        load_partial(values, arguments.values, place.head, token, count, barriers,
                     &barriers.values[stage]);
      } else if (leader) {
        load<kColumns>(values, arguments.values, place.head, token, &barriers.values[stage]);
      }
    }
  }

  /// scores = queries keys^T.
  DIETMT_DEVICE static void multiply_keys(Scores& scores, const char* queries, const char* keys) {
    begin_multiplies(scores.value);
    DIETMT_UNROLL
    for (int k = 0; k < kWidth; k += kDepth) {
      const int box = k / kBoxWidth;
      const int column = k % kBoxWidth * 2;  // bytes
      const uint64_t left = matrix_descriptor(queries + box * kRows * kRowBytes + column,
                                              Swizzle::k128Bytes, kPatternBytes, 0);
      const uint64_t right = matrix_descriptor(keys + box * kColumns * kRowBytes + column,
                                               Swizzle::k128Bytes, kPatternBytes, 0);
      multiply_shared<E>(scores.value, left, right, k > 0);
    }
    commit_multiplies();
    wait_multiplies<0>(scores.value);
  }

  /// output += probabilities values.
  DIETMT_DEVICE static void multiply_values(WarpgroupRows<kWidth>& output,
                                            uint32_t (&probabilities)[kColumns / 4],
                                            const char* values) {
    begin_multiplies(output.value, probabilities);
    DIETMT_UNROLL
    for (int step = 0; step < kColumns / kDepth; ++step) {
      const uint64_t right =
          matrix_descriptor(values + step * kDepth * kRowBytes, Swizzle::k128Bytes, kPatternBytes,
                            kColumns * kRowBytes);
      multiply_registers<E>(output.value, probabilities + 4 * step, right);
    }
    commit_multiplies();
    wait_multiplies<0>(output.value, probabilities);
  }

  /// scores = factor * scores + log2(e) * bias of the offset; `bias` counts from the lowest offset.
  /// The scores of one offset lie along diagonals of 8 x 8 squares.
  DIETMT_DEVICE static void add_offset_bias(Scores& scores, float factor, const float* bias) {
    const float* own = bias + kWarpgroupRows - 1 - warpgroup_row(0) + 2 * (lane_index() % 4);
    DIETMT_UNROLL
    for (int d = 1 - kRowSlots; d < kColumns / 8; ++d) {
      const float numbers[2] = {own[8 * d] * kLog2E, own[8 * d + 1] * kLog2E};
      DIETMT_UNROLL
      for (int slot = 0; slot < kRowSlots; ++slot) {
        const int n = d + slot;
        if (n < 0 || n >= kColumns / 8) continue;
        DIETMT_UNROLL
        for (int e = 0; e < 2; ++e) {
          float& score = scores.value[4 * n + 2 * slot + e];
          score = score * factor + numbers[e];
        }
      }
    }
  }

  /// A thread's bias of a tile.
  DIETMT_DEVICE static float read_offset_bias(const Place& place, int first_row, int first_key) {
    const AttentionTerms& terms = place.arguments.call.terms;
    const int clip = static_cast<int>(terms.bias_clip);
    const int offset =
        first_key - first_row - (kWarpgroupRows - 1) + thread_index() % kWarpgroupThreads;
    return head_table(terms.tables.offset_bias, place.head)[clip_to(offset, clip) + clip];
  }

  DIETMT_DEVICE static void mask(Scores& scores, const Place& place, int first_row, int first_key) {
    const bool causal = place.arguments.call.sizes.causal;
    const int count = place.sentence.keys - first_key;
    if (count >= kColumns && (!causal || first_key + kColumns - 1 <= first_row)) return;
    scores.for_each([&](int row, int column, float& score, int) {
      const bool visible = column < count && (!causal || first_key + column <= first_row + row);
      if (!visible) score = -std::numeric_limits<float>::infinity();
    });
  }

  /// Scores become 2^(score - maximum); the output so far is scaled to the new maximum.
  DIETMT_DEVICE static void update(Softmax& softmax, Scores& scores,
                                   WarpgroupRows<kWidth>& output) {
    float maximum[kRowSlots] = {softmax.maximum[0], softmax.maximum[1]};
    scores.for_each([&](int, int, float& score, int slot) {
      maximum[slot] = score > maximum[slot] ? score : maximum[slot];
    });
    float factor[kRowSlots];
    float shift[kRowSlots];
    DIETMT_UNROLL
    for (int slot = 0; slot < kRowSlots; ++slot) {
      maximum[slot] = row_maximum(maximum[slot]);
      // Rows that see no key yet keep the maximum -infinity, which must not be subtracted.
      const bool empty = maximum[slot] == -std::numeric_limits<float>::infinity();
      shift[slot] = empty ? 0.0f : maximum[slot];
      factor[slot] = exp2_fast(softmax.maximum[slot] - shift[slot]);
      softmax.maximum[slot] = maximum[slot];
      softmax.sum[slot] *= factor[slot];
    }
    scores.for_each([&](int, int, float& score, int slot) {
      score = exp2_fast(score - shift[slot]);
      softmax.sum[slot] += score;
    });
    output.for_each([&](int, int, float& sum, int slot) { sum *= factor[slot]; });
  }

  DIETMT_DEVICE static void drop(Scores& scores, const Place& place, int first_row, int first_key) {
    const DropoutNumbers& dropout = place.arguments.dropout;
    if (dropout.threshold == 0) return;
    const AttentionSizes& sizes = place.arguments.call.sizes;
    const auto keys = static_cast<uint32_t>(sizes.max_keys);
    const auto start = static_cast<uint32_t>((place.sentence.index * sizes.heads + place.head) *
                                             sizes.max_queries * sizes.max_keys) +
                       static_cast<uint32_t>(first_key);
    scores.for_each([&](int row, int column, float& score, int) {
      const uint32_t index =
          start + static_cast<uint32_t>(first_row + row) * keys + static_cast<uint32_t>(column);
      if (!dropout_keeps(dropout.key, index, dropout.threshold)) score = 0.0f;
    });
  }

  DIETMT_DEVICE static void finish(const Softmax& softmax, WarpgroupRows<kWidth>& output,
                                   const Place& place, int first_row) {
    const AttentionForward& call = place.arguments.call;
    const int width = static_cast<int>(call.sizes.head_width);
    const int count = place.sentence.queries - first_row;
    const int64_t first = place.sentence.query_begin + first_row;
    float factor[kRowSlots];
    DIETMT_UNROLL
    for (int slot = 0; slot < kRowSlots; ++slot) {
      const float sum = row_sum(softmax.sum[slot]);
      factor[slot] = sum > 0.0f ? place.arguments.dropout.scale / sum : 0.0f;
      const int row = warpgroup_row(slot);
      if (call.log_normalizer == nullptr || row >= count || lane_index() % 4 != 0) continue;
      // +infinity makes every probability of an empty row zero in backward.
      call.log_normalizer[place.head * query_tokens(call.sizes) + first + row] =
          sum > 0.0f ? softmax.maximum[slot] * kLn2 + logf(sum)
                     : std::numeric_limits<float>::infinity();
    }
    store_warpgroup_rows<E>(output, factor, call.output, first, count, place.head, width);
    if (call.output_rest.data == nullptr) return;
    output.for_each([&](int, int, float& value, int slot) {
      const float exact = value * factor[slot];
      value = exact - low_float<E>(pack<E>(exact, 0.0f));
    });
    constexpr float kOne[kRowSlots] = {1.0f, 1.0f};
    store_warpgroup_rows<E>(output, kOne, call.output_rest, first, count, place.head, width);
  }

  DIETMT_DEVICE static void consume(const Place& place, const Memory& memory) {
    const int group = warp_index() / kGroupWarps;
    if (group >= place.groups) return;
    Barriers& barriers = *memory.barriers;
    const int first_row = place.start + group * kWarpgroupRows;
    const char* queries = memory.queries + group * kWarpgroupRows * kRowBytes;
    const float factor = place.arguments.scales.of[place.head] * kLog2E;
    Softmax softmax;
    DIETMT_UNROLL
    for (int slot = 0; slot < kRowSlots; ++slot) {
      softmax.maximum[slot] = -std::numeric_limits<float>::infinity();
      softmax.sum[slot] = 0.0f;
    }
    WarpgroupRows<kWidth> output;
    output.for_each([](int, int, float& sum, int) { sum = 0.0f; });
    if (place.keys > 0) wait_barrier(&barriers.queries, 0);
    DIETMT_ROLLED
    for (int index = 0; index * kColumns < place.keys; ++index) {
      const int stage = index % kStages;
      const int parity = index / kStages % 2;
      const int first_key = index * kColumns;
      // The first warpgroup sees fewer keys than the second in causal attention.
      const bool works =
          !place.arguments.call.sizes.causal || first_key <= first_row + kWarpgroupRows - 1;
      float* bias = memory.offset_bias + (2 * group + index % 2) * kOffsets;
      if constexpr (has_offset_bias(kTerms)) {
        bias[thread_index() % kWarpgroupThreads] = read_offset_bias(place, first_row, first_key);
        sync_warpgroup(1 + group);
      }
      wait_barrier(&barriers.keys[stage], parity);
      uint32_t probabilities[kColumns / 4];
      if (works) {
        Scores scores;
        multiply_keys(scores, queries, memory.keys + stage * kTileBytes);
        if constexpr (has_offset_bias(kTerms)) {
          add_offset_bias(scores, factor, bias);
        } else {
          scores.for_each([&](int, int, float& score, int) { score *= factor; });
        }
        mask(scores, place, first_row, first_key);
        update(softmax, scores, output);
        drop(scores, place, first_row, first_key);
        DIETMT_UNROLL
        for (int i = 0; i < kColumns / 4; ++i) {
          probabilities[i] = pack<E>(scores.value[2 * i], scores.value[2 * i + 1]);
        }
      }
      wait_barrier(&barriers.values[stage], parity);
      if (works) multiply_values(output, probabilities, memory.values + stage * kTileBytes);
      if (lane_index() == 0) arrive(&barriers.freed[stage]);
    }
    finish(softmax, output, place, first_row);
  }

  DIETMT_DEVICE static void run(const Arguments& arguments, BlockIndex block, char* shared) {
    const AttentionSizes& sizes = arguments.forward.call.sizes;
    const int heads = static_cast<int>(sizes.heads);
    const TileOfSentence tile = sizes.device_query_tiles.data[block.x / heads];
    const Sentence sentence = sentence_at(sizes, tile.sentence);
    const int start = tile.tile * kRows;
    int keys = sentence.keys;
    if (sizes.causal && start + kRows < keys) keys = start + kRows;
    const int groups = sentence.queries - start > kWarpgroupRows ? 2 : 1;
    const Place place{arguments.forward, sentence, block.x % heads, start, keys, groups};
    const auto past_pattern = static_cast<int>(shared_address(shared) % kPatternBytes);
    SharedMemory carver(shared + (past_pattern > 0 ? kPatternBytes - past_pattern : 0));
    const Memory memory = take_memory(carver);
    if (thread_index() == 0) init_barriers(memory, groups);
    sync_block();
    if (warp_index() < kProducer) return consume(place, memory);
    if (keys > 0) produce(arguments, place, memory);
  }
};

}  // namespace dietmt::kernels
