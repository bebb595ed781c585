// Gradients of keys and values.
#pragma once

#include "kernels/cuda/sm90/backward_tiles.cuh"

namespace dietmt::kernels {

template <typename E, int kWidth, TermClass kTerms, GradientPart kPart>
struct WarpgroupBackwardOfKeys {
  using Tiles = WarpgroupBackwardTiles<E, kWidth, kTerms, kPart>;
  using Place = typename Tiles::Place;
  using Memory = typename Tiles::Memory;
  using Consumer = typename Tiles::Consumer;
  static constexpr bool kOfKeys = kPart != GradientPart::kValues;
  static constexpr bool kOfValues = kPart != GradientPart::kKeys;

  struct Sums {
    WarpgroupRows<kWidth> keys;
    WarpgroupRows<kWidth> values;
  };

  /// Probabilities after dropout, as elements.
  DIETMT_DEVICE static void pack_dropped(PackedScores& packed, const WarpgroupScores& scores,
                                         uint32_t kept, float dropout_scale) {
    const auto dropped = [&](int i) {
      return (kept >> i & 1U) != 0 ? scores.value[i] * dropout_scale : 0.0f;
    };
    DIETMT_UNROLL
    for (int i = 0; i < kTileTokens / 4; ++i) {
      packed[i] = pack<E>(dropped(2 * i), dropped(2 * i + 1));
    }
  }

  /// Scores are [keys, queries] here.
  DIETMT_DEVICE static void stream(Sums& sums, const BackwardArguments& arguments,
                                   const Place& place, int group, Consumer& consumer,
                                   const Memory& memory) {
    const AttentionSizes& sizes = arguments.call.forward.sizes;
    const float factor = arguments.scales.of[place.head] * kLog2E;
    const float dropout_scale = arguments.dropout.scale;
    const auto rows = memory.rows_of(group);
    DIETMT_ROLLED
    for (int index = place.begin_of(group); index < place.end_of(group); ++index) {
      const int stage = consumer.ring.stage;
      const auto tile = place.tile_at(group, index);
      const auto columns = memory.columns_of(stage);
      const float* normalizer = memory.numbers_of(stage);
      consumer.await_columns();
      WarpgroupScores scores;
      WarpgroupScores grad;
      PackedScores probabilities;
      PackedScores packed;
      begin_multiplies(scores.value);
      if constexpr (kOfKeys) begin_multiplies(grad.value);
      start_products<E, kWidth>(scores, rows.content, columns.content);
      if constexpr (kOfKeys) start_products<E, kWidth>(grad, rows.value, columns.value);
      const float* starts = normalizer + 2 * kTileTokens;
      const uint32_t kept = kept_scores(
          arguments.dropout, tile, [&](int i) { return bits_of(starts[warpgroup_column(i)]); });
      wait_multiplies<kOfKeys ? 1 : 0>(scores.value);
      Tiles::recompute(scores, factor, memory.bias_of(stage), tile, sizes.causal,
                       [&](int i) { return normalizer[warpgroup_column(i)]; });
      if constexpr (kOfKeys) {
        wait_multiplies<0>(grad.value);
        // Before products are on their way, for the compiler would wait for them here.
        begin_multiplies(sums.keys.value);
      }
      if constexpr (kOfValues) {
        pack_dropped(probabilities, scores, kept, dropout_scale);
        begin_multiplies(sums.values.value, probabilities);
        start_sums<E, kWidth>(sums.values, probabilities, columns.value);
      }
      if constexpr (kOfKeys) {
        const float* delta = normalizer + kTileTokens;
        Tiles::differentiate(grad, scores, kept, dropout_scale, tile, sizes.causal,
                             [&](int i) { return delta[warpgroup_column(i)]; });
        pack_scores<E>(packed, grad);
        begin_multiplies(packed);
        start_sums<E, kWidth>(sums.keys, packed, columns.content);
        wait_multiplies<0>(sums.keys.value, packed);
      }
      if constexpr (kOfValues) wait_multiplies<0>(sums.values.value, probabilities);
      consumer.free_columns(stage);
      consumer.ring.advance();
    }
  }

  DIETMT_DEVICE static void store(const Sums& sums, const BackwardArguments& arguments,
                                  const Place& place, int group) {
    const int width = static_cast<int>(arguments.call.forward.sizes.head_width);
    const int64_t first = place.first_row() + group * kWarpgroupRows;
    const int count = place.all_rows() - place.start - group * kWarpgroupRows;
    if constexpr (kOfKeys) {
      const float scale = arguments.scales.of[place.head];
      const float scales[kRowSlots] = {scale, scale};
      store_warpgroup_rows<E>(sums.keys, scales, arguments.call.grad_keys, first, count, place.head,
                              width);
    }
    if constexpr (kOfValues) {
      constexpr float kOne[kRowSlots] = {1.0f, 1.0f};
      store_warpgroup_rows<E>(sums.values, kOne, arguments.call.grad_values, first, count,
                              place.head, width);
    }
  }

  DIETMT_DEVICE static void run_rows(const BackwardArguments& arguments, const Place& place,
                                     Consumer& consumer, const Memory& memory) {
    const int group = group_index();
    const bool has_rows = group < place.groups();
    Sums sums;
    if constexpr (kOfKeys) sums.keys.zero();
    if constexpr (kOfValues) sums.values.zero();
    const int all = place.end() - place.begin();
    if (all > 0) {
      consumer.await_rows();
      const int own = has_rows ? place.end_of(group) - place.begin_of(group) : 0;
      consumer.skip(all - (own > 0 ? own : 0));
      if (own > 0) stream(sums, arguments, place, group, consumer, memory);
      consumer.free_rows();
    }
    if (has_rows) store(sums, arguments, place, group);
  }

  DIETMT_DEVICE static void consume(const BackwardArguments& arguments, int part, int head,
                                    const Memory& memory) {
    Consumer consumer{*memory.barriers, {}};
    Tiles::for_own_rows(arguments.call.forward.sizes, part, arguments.key_split.parts, head,
                        [&](const Place& place) { run_rows(arguments, place, consumer, memory); });
  }
};

}  // namespace dietmt::kernels
