// The forward pass by wgmma and TMA (Shah et al. 2024, "FlashAttention-3"). A block owns 128
// queries of one head of one sentence. Its last warp, the producer, copies keys and values into a
// ring of stages; two warpgroups of 64 queries each consume them. At width 64 two blocks share a
// multiprocessor, and the products of one warpgroup overlap with the softmax of others; at width
// 128 also with that of the same warpgroup.
//
// Boxes end where tiles do, not where sentences do, so tiles can hold rows of the next sentence.
// Scores of such keys are masked, and the producer clears such values: 0 times NaN is NaN.
#pragma once

#include "kernels/cuda/sm90/warpgroup_bias.cuh"
#include "kernels/cuda/sm90/warpgroup_softmax.cuh"

namespace dietmt::kernels {

/// grid: the list of tiles of queries, times heads.
template <typename Element, int kHeadWidth, TermClass kTermClass>
struct WarpgroupForwardBlock {
  using Arguments = WarpgroupForwardArguments;
  using E = Element;
  static constexpr int kWidth = kHeadWidth;
  static constexpr TermClass kTerms = kTermClass;
  static constexpr int kBlockThreads = (kProducerWarp + 1) * kWarpThreads;
  static constexpr int kBlocksTogether = kWidth == 64 ? 2 : 1;
  // Two blocks leave no registers for it.
  static constexpr bool kOverlaps = kBlocksTogether == 1;
  static constexpr int kStages = kOverlaps ? 4 : 3;
  static constexpr int kBytes = kTileBytes<kWidth>;
  using Ring = RingPlace<kStages>;
  using Scores = WarpgroupScores;
  using Softmax = WarpgroupSoftmax;
  using Output = WarpgroupRows<kWidth>;

  struct Barriers {
    TransactionBarrier queries;
    TransactionBarrier keys[kStages];
    TransactionBarrier values[kStages];
    TransactionBarrier freed[kStages];  // by the consumers
    TransactionBarrier partial;         // values of a tile that must be cleared in part
  };

  struct Memory {
    char* queries;  // [kGroups] tiles
    char* keys;     // [kStages]
    char* values;   // the same
    Barriers* barriers;
    uint64_t* dropout_keys;  // of warps
    float* offset_bias;      // [kStages, kBiasOffsets]
  };

  struct Place {
    const ForwardArguments& arguments;
    Sentence sentence;
    int head;
    int start;   // first query
    int groups;  // that have queries

    /// Tiles of keys that a warpgroup's queries see.
    DIETMT_DEVICE int tiles_of(int group) const {
      const int last = start + (group + 1) * kWarpgroupRows;
      const bool causal = arguments.call.sizes.causal;
      const int keys = causal && last < sentence.keys ? last : sentence.keys;
      return (keys + kTileTokens - 1) / kTileTokens;
    }
  };

  DIETMT_HOST_DEVICE static Memory take_memory(SharedMemory& shared) {
    Memory memory;
    memory.queries = shared.take<char>(kGroups * kBytes);
    memory.keys = shared.take<char>(kStages * kBytes);
    memory.values = shared.take<char>(kStages * kBytes);
    memory.barriers = shared.take<Barriers>(1);
    memory.dropout_keys = shared.take<uint64_t>(kProducerWarp + 1);
    memory.offset_bias = shared.take<float>(has_offset_bias(kTerms) ? kStages * kBiasOffsets : 0);
    return memory;
  }

  DIETMT_HOST_DEVICE static int64_t shared_bytes(const Arguments&) {
    SharedMemory shared(nullptr);
    take_memory(shared);
    return shared.used() + kPatternBytes - 16;
  }

  DIETMT_DEVICE static void init_barriers(Barriers& barriers, int groups) {
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

  /// Copies the values of a tile that ends beyond the sentence, and clears the rows after it. All
  /// lanes of the producer call it.
  DIETMT_DEVICE static void load_partial(char* to, const TensorMap& map, int head, int token,
                                         int count, Barriers& barriers,
                                         TransactionBarrier* barrier) {
    if (lane_index() == 0) {
      arrive_expecting(&barriers.partial, kBytes);
      load_tile<kWidth>(to, map, head, token, &barriers.partial);
    }
    wait_barrier(&barriers.partial, 0);
    clear_tokens<kWidth>(to, count);
    fence_async_proxy();
    sync_warp();
    if (lane_index() == 0) arrive(barrier);
  }

  DIETMT_DEVICE static void produce(const Arguments& arguments, const Place& place,
                                    const Memory& memory) {
    Barriers& barriers = *memory.barriers;
    const Sentence& sentence = place.sentence;
    const int tiles = place.tiles_of(place.groups - 1);
    const bool leader = lane_index() == 0;
    if (leader && tiles > 0) {
      arrive_expecting(&barriers.queries, place.groups * kBytes);
      for (int group = 0; group < place.groups; ++group) {
        load_tile<kWidth>(memory.queries + group * kBytes, arguments.queries, place.head,
                          sentence.query_begin + place.start + group * kWarpgroupRows,
                          &barriers.queries);
      }
    }
    Ring ring;
    for (int index = 0; index < tiles; ++index, ring.advance()) {
      const int stage = ring.stage;
      const int token = sentence.key_begin + index * kTileTokens;
      const int count = sentence.keys - index * kTileTokens;
      char* values = memory.values + stage * kBytes;
      BiasOfTile bias;
      if constexpr (has_offset_bias(kTerms)) {
        bias.read<true>(place.arguments.call.terms, place.head, place.start, index * kTileTokens);
      }
      wait_barrier(&barriers.freed[stage], ring.parity ^ 1);
      if constexpr (has_offset_bias(kTerms)) {
        bias.write(memory.offset_bias + stage * kBiasOffsets);
        sync_warp();
      }
      if (leader) {
        arrive_expecting(&barriers.keys[stage], kBytes);
        load_tile<kWidth>(memory.keys + stage * kBytes, arguments.keys, place.head, token,
                          &barriers.keys[stage]);
      }
      if (count < kTileTokens) {
        load_partial(values, arguments.values, place.head, token, count, barriers,
                     &barriers.values[stage]);
      } else if (leader) {
        arrive_expecting(&barriers.values[stage], kBytes);
        load_tile<kWidth>(values, arguments.values, place.head, token, &barriers.values[stage]);
      }
    }
  }

  /// In units of log 2.
  DIETMT_DEVICE static float content_scale(const Place& place) {
    return place.arguments.scales.of[place.head] * kLog2E;
  }

  /// Without terms, scores stay products until the softmax shifts them.
  DIETMT_DEVICE static float late_scale(const Place& place) {
    return kTerms == TermClass::kPlain ? content_scale(place) : 1.0f;
  }

  /// Turns products into unnormalized probabilities, without dropped ones.
  DIETMT_DEVICE static void normalize(Scores& scores, Softmax& softmax, float (&factor)[kRowSlots],
                                      const Place& place, const RowDropout& starts,
                                      const WarpgroupTile<true>& tile, const float* bias) {
    const AttentionSizes& sizes = place.arguments.call.sizes;
    if constexpr (has_offset_bias(kTerms)) {
      add_offset_bias<true>(scores, content_scale(place), bias);
    }
    replace_hidden(scores, -std::numeric_limits<float>::infinity(), tile, sizes.causal);
    softmax.update(scores, late_scale(place), factor);
    const DropoutNumbers& dropout = place.arguments.dropout;
    if (dropout.threshold == 0) return;
    const uint32_t kept = kept_scores(dropout, tile, starts);
    DIETMT_UNROLL
    for (int i = 0; i < kTileTokens / 2; ++i) {
      scores.value[i] = (kept >> i & 1U) != 0 ? scores.value[i] : 0.0f;
    }
  }

  DIETMT_DEVICE static void finish(const Softmax& softmax, Output& output, const Place& place,
                                   int first_row) {
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
          sum > 0.0f ? softmax.maximum[slot] * late_scale(place) * kLn2 + logf(sum)
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

  DIETMT_DEVICE static WarpgroupTile<true> tile_at(const Place& place, int index) {
    // Rows beyond the sentence are not stored.
    return {place.start + group_index() * kWarpgroupRows, index * kTileTokens, kWarpgroupRows,
            place.sentence.keys - index * kTileTokens};
  }

  DIETMT_DEVICE static void start_scores(Scores& scores, const Ring& ring, const Memory& memory) {
    start_products<E, kWidth>(scores, memory.queries + group_index() * kBytes,
                              memory.keys + ring.stage * kBytes);
  }

  DIETMT_DEVICE static void start_output(Output& output, PackedScores& probabilities,
                                         const Ring& ring, const Memory& memory) {
    start_sums<E, kWidth>(output, probabilities, memory.values + ring.stage * kBytes);
  }

  DIETMT_DEVICE static void scale(Output& output, const float (&factor)[kRowSlots]) {
    DIETMT_UNROLL
    for (int i = 0; i < kWidth / 2; ++i) output.value[i] *= factor[slot_of(i)];
  }

  DIETMT_DEVICE static const float* bias_of(const Ring& ring, const Memory& memory) {
    return memory.offset_bias + ring.stage * kBiasOffsets;
  }

  /// Sums the values of a warpgroup's tiles, each after its softmax.
  DIETMT_DEVICE static void stream(Softmax& softmax, Output& output, const Place& place,
                                   const RowDropout& starts, int tiles, const Memory& memory) {
    Barriers& barriers = *memory.barriers;
    Ring ring;
    DIETMT_ROLLED
    for (int index = 0; index < tiles; ++index, ring.advance()) {
      Scores scores;
      float factor[kRowSlots];
      PackedScores probabilities;
      wait_barrier(&barriers.keys[ring.stage], ring.parity);
      begin_multiplies(scores.value);
      start_scores(scores, ring, memory);
      wait_multiplies<0>(scores.value);
      normalize(scores, softmax, factor, place, starts, tile_at(place, index),
                bias_of(ring, memory));
      scale(output, factor);
      pack_scores<E>(probabilities, scores);
      wait_barrier(&barriers.values[ring.stage], ring.parity);
      begin_multiplies(output.value, probabilities);
      start_output(output, probabilities, ring, memory);
      wait_multiplies<0>(output.value, probabilities);
      if (lane_index() == 0) arrive(&barriers.freed[ring.stage]);
    }
  }

  /// stream() for at least one tile; the values of a tile overlap with the softmax of the next one.
  DIETMT_DEVICE static void stream_overlapped(Softmax& softmax, Output& output, const Place& place,
                                              const RowDropout& starts, int tiles,
                                              const Memory& memory) {
    Barriers& barriers = *memory.barriers;
    Ring ring;
    Scores scores;
    float factor[kRowSlots];
    PackedScores probabilities;
    wait_barrier(&barriers.keys[ring.stage], ring.parity);
    begin_multiplies(scores.value);
    start_scores(scores, ring, memory);
    wait_multiplies<0>(scores.value);
    normalize(scores, softmax, factor, place, starts, tile_at(place, 0), bias_of(ring, memory));
    pack_scores<E>(probabilities, scores);
    DIETMT_ROLLED
    for (int index = 1; index < tiles; ++index) {
      const Ring last = ring;
      ring.advance();
      wait_barrier(&barriers.values[last.stage], last.parity);
      wait_barrier(&barriers.keys[ring.stage], ring.parity);
      begin_multiplies(scores.value, output.value, probabilities);
      start_scores(scores, ring, memory);
      start_output(output, probabilities, last, memory);
      wait_multiplies<1>(scores.value);
      normalize(scores, softmax, factor, place, starts, tile_at(place, index),
                bias_of(ring, memory));
      wait_multiplies<0>(output.value, probabilities);
      if (lane_index() == 0) arrive(&barriers.freed[last.stage]);
      scale(output, factor);
      pack_scores<E>(probabilities, scores);
    }
    wait_barrier(&barriers.values[ring.stage], ring.parity);
    begin_multiplies(output.value, probabilities);
    start_output(output, probabilities, ring, memory);
    wait_multiplies<0>(output.value, probabilities);
  }

  DIETMT_DEVICE static void consume(const Place& place, const Memory& memory) {
    const int group = group_index();
    if (group >= place.groups) return;
    const int first_row = place.start + group * kWarpgroupRows;
    Softmax softmax;
    softmax.clear();
    Output output;
    output.zero();
    const int tiles = place.tiles_of(group);
    if (tiles > 0) {
      wait_barrier(&memory.barriers->queries, 0);
      const ForwardArguments& arguments = place.arguments;
      const RowDropout starts(arguments.dropout, memory.dropout_keys, arguments.call.sizes,
                              place.sentence, place.head, first_row);
      if constexpr (kOverlaps) {
        stream_overlapped(softmax, output, place, starts, tiles, memory);
      } else {
        stream(softmax, output, place, starts, tiles, memory);
      }
    }
    finish(softmax, output, place, first_row);
  }

  DIETMT_DEVICE static void run(const Arguments& arguments, BlockIndex block, char* shared) {
    const AttentionSizes& sizes = arguments.forward.call.sizes;
    const int heads = static_cast<int>(sizes.heads);
    const TileOfSentence tile = arguments.forward.query_tiles.data[block.x / heads];
    const Sentence sentence = sentence_at(sizes, tile.sentence);
    const int start = tile.tile * kRows;
    if (start >= sentence.queries) return;
    const int groups = sentence.queries - start > kWarpgroupRows ? kGroups : 1;
    SharedMemory carver(first_pattern(shared));
    const Memory memory = take_memory(carver);
    const Place place{arguments.forward, sentence, block.x % heads, start, groups};
    if (thread_index() == 0) init_barriers(*memory.barriers, groups);
    store_dropout_key(arguments.forward.dropout, memory.dropout_keys);
    sync_block();
    if (warp_index() < kProducerWarp) return consume(place, memory);
    produce(arguments, place, memory);
  }
};

}  // namespace dietmt::kernels
