// Gradients of queries and of the bias of each offset.
#pragma once

#include "kernels/cuda/sm90/backward_tiles.cuh"

namespace dietmt::kernels {

template <typename E, int kWidth, TermClass kTerms>
struct WarpgroupBackwardOfQueries {
  using Tiles = WarpgroupBackwardTiles<E, kWidth, kTerms, GradientPart::kQueries>;
  using Place = typename Tiles::Place;
  using Memory = typename Tiles::Memory;
  using Consumer = typename Tiles::Consumer;

  /// Numbers of a thread's queries.
  struct Numbers {
    float normalizer[kRowSlots];  // in units of log 2
    float delta[kRowSlots];
  };

  DIETMT_DEVICE static Numbers read_numbers(const BackwardArguments& arguments, const Place& place,
                                            int group) {
    const AttentionForward& call = arguments.call.forward;
    const int first = place.start + group * kWarpgroupRows;
    const int64_t from = place.head * query_tokens(call.sizes) + place.sentence.query_begin + first;
    Numbers numbers;
    DIETMT_UNROLL
    for (int slot = 0; slot < kRowSlots; ++slot) {
      const int row = warpgroup_row(slot);
      const bool exists = first + row < place.sentence.queries;
      numbers.normalizer[slot] = exists ? call.log_normalizer[from + row] * kLog2E : 0.0f;
      numbers.delta[slot] = exists ? arguments.delta[from + row] : 0.0f;
    }
    return numbers;
  }

  /// grad_queries of a warpgroup's rows, over its tiles of keys.
  template <typename AddBias>
  DIETMT_DEVICE static void stream(WarpgroupRows<kWidth>& grad_queries,
                                   const BackwardArguments& arguments, const Place& place,
                                   int group, Consumer& consumer, const Memory& memory,
                                   const AddBias& add_bias) {
    const AttentionSizes& sizes = arguments.call.forward.sizes;
    const float factor = arguments.scales.of[place.head] * kLog2E;
    const Numbers numbers = read_numbers(arguments, place, group);
    const RowDropout starts(arguments.dropout, memory.dropout_keys, sizes, place.sentence,
                            place.head, place.start + group * kWarpgroupRows);
    const auto rows = memory.rows_of(group);
    DIETMT_ROLLED
    for (int index = place.begin_of(group); index < place.end_of(group); ++index) {
      const int stage = consumer.ring.stage;
      const auto tile = place.tile_at(group, index);
      const auto columns = memory.columns_of(stage);
      consumer.await_columns();
      WarpgroupScores scores;
      WarpgroupScores grad;
      begin_multiplies(scores.value, grad.value);
      start_products<E, kWidth>(scores, rows.content, columns.content);
      start_products<E, kWidth>(grad, rows.value, columns.value);
      const uint32_t kept = kept_scores(arguments.dropout, tile, starts);
      wait_multiplies<1>(scores.value);
      Tiles::recompute(scores, factor, memory.bias_of(stage), tile, sizes.causal,
                       [&](int i) { return numbers.normalizer[slot_of(i)]; });
      wait_multiplies<0>(grad.value);
      Tiles::differentiate(grad, scores, kept, arguments.dropout.scale, tile, sizes.causal,
                           [&](int i) { return numbers.delta[slot_of(i)]; });
      PackedScores packed;
      pack_scores<E>(packed, grad);
      begin_multiplies(grad_queries.value, packed);
      start_sums<E, kWidth>(grad_queries, packed, columns.content);
      add_bias(grad, tile);
      wait_multiplies<0>(grad_queries.value, packed);
      consumer.free_columns(stage);
      consumer.ring.advance();
    }
  }

  template <typename AddBias>
  DIETMT_DEVICE static void run_rows(const BackwardArguments& arguments, const Place& place,
                                     Consumer& consumer, const Memory& memory,
                                     const AddBias& add_bias) {
    const int group = group_index();
    const bool has_rows = group < place.groups();
    WarpgroupRows<kWidth> grad_queries;
    grad_queries.zero();
    const int all = place.end() - place.begin();
    if (all > 0) {
      consumer.await_rows();
      const int own = has_rows ? place.end_of(group) : 0;
      if (own > 0) stream(grad_queries, arguments, place, group, consumer, memory, add_bias);
      consumer.skip(all - own);
      consumer.free_rows();
    }
    if (!has_rows) return;
    const int first = group * kWarpgroupRows;
    const float scale = arguments.scales.of[place.head];
    const float scales[kRowSlots] = {scale, scale};
    store_warpgroup_rows<E>(grad_queries, scales, arguments.call.grad_queries,
                            place.first_row() + first, place.all_rows() - place.start - first,
                            place.head, static_cast<int>(arguments.call.forward.sizes.head_width));
  }

  DIETMT_DEVICE static void consume(const BackwardArguments& arguments, int part, int head,
                                    const Memory& memory) {
    const AttentionForward& call = arguments.call.forward;
    const int clip = static_cast<int>(call.terms.bias_clip);
    const HeadTable& table = arguments.partials.offset_bias;
    const bool wants_bias = Tiles::kBiasGradient && table.data != nullptr;
    const BlockPlace place{part, group_index(), head, 0};
    float* const partial =
        wants_bias ? block_partial(table, arguments.query_split, place, call.sizes.heads) : nullptr;
    BiasGradient bias(memory.bias_gradient);
    const auto add_bias = [&](const WarpgroupScores& grad, const WarpgroupTile<true>& tile) {
      if (wants_bias) bias.add(partial, clip, grad, tile);
    };
    Consumer consumer{*memory.barriers, {}};
    Tiles::for_own_rows(
        call.sizes, part, arguments.query_split.parts, head,
        [&](const Place& rows) { run_rows(arguments, rows, consumer, memory, add_bias); });
    if (wants_bias) bias.finish(partial, clip);
  }
};

}  // namespace dietmt::kernels
