// Gradients of queries, and of the tables whose rows belong to queries or offsets.
#pragma once

#include "kernels/cuda/backward_keys_of_tile.cuh"

namespace dietmt::kernels {

/// kPart: kQueries, or kAll, whose blocks also have the gradients of keys and values.
template <typename E, int kWidth, TermClass kTerms, GradientPart kPart = GradientPart::kQueries>
struct BackwardOfQueries {
  using Tiles = BackwardTiles<E, kWidth, kTerms, kPart>;
  using S = typename Tiles::S;
  using Sums = typename Tiles::Sums;
  using Memory = typename Tiles::Memory;
  using Scores = typename Tiles::Scores;
  using TileOf = typename Tiles::TileOf;

  DIETMT_DEVICE static void add_vector_gradients(const BackwardArguments& arguments,
                                                 const CallView& view, Scores& probabilities,
                                                 Scores& grad_scores, Sums& grad_queries,
                                                 const TileOf& tile, const BlockPlace& place,
                                                 const Memory& memory) {
    const AttentionTables& partials = arguments.partials;
    const AttentionTerms& terms = view.call.terms;
    const int64_t heads = view.call.sizes.heads;
    if (terms.tables.relative_keys.data != nullptr) {
      float* sums =
          partials.relative_keys.data == nullptr || place.half != 0
              ? nullptr
              : block_partial(partials.relative_keys, arguments.query_split, place, heads);
      Tiles::through_table(grad_queries, grad_scores, view.converted.relative_keys, terms.key_clip,
                           sums, view, tile, place.half * Tiles::kSums, memory);
    }
    if (partials.relative_values.data == nullptr || place.half != 0) return;
    add_row_sums<S>(probabilities, terms.value_clip, tile, VectorTable::kOfValues, memory.terms);
    if (tile.entries(terms.value_clip) != Entries::kSeveral) return;
    sync_warp();
    DIETMT_UNROLL
    for (int m = 0; m < kRowTiles; ++m) {
      scatter<S>(band_of(memory.terms, warp_index() * kWarpRows + 16 * m), probabilities, m);
    }
    add_table_gradient<S>(
        block_partial(partials.relative_values, arguments.query_split, place, heads),
        terms.value_clip, static_cast<int>(view.call.sizes.head_width), 1.0f, memory.rows.value,
        tile, VectorTable::kOfValues, memory.terms);
  }

  DIETMT_DEVICE static void add_pair_gradients(const BackwardArguments& arguments,
                                               const CallView& view, Scores& grad_scores,
                                               const TileOf& tile, const BlockPlace& place,
                                               const Memory& memory) {
    const AttentionTables& partials = arguments.partials;
    const int64_t heads = view.call.sizes.heads;
    if (partials.segment_bias.data != nullptr) {
      add_segment_bias_gradient<S>(
          block_partial(partials.segment_bias, arguments.query_split, place, heads), grad_scores,
          memory.terms, static_cast<int>(view.call.terms.segment_kinds));
    }
    if (partials.position_bias.data != nullptr) {
      add_pairs_gradient<S>(part_partial(partials.position_bias, place, heads), grad_scores,
                            view.call.sizes, tile, memory.terms);
    }
  }

  DIETMT_DEVICE static void add_gradients(const BackwardArguments& arguments, const CallView& view,
                                          Scores& probabilities, Scores& grad_scores,
                                          Sums& grad_queries, const TileOf& tile,
                                          const BlockPlace& place, const Memory& memory) {
    const AttentionTables& partials = arguments.partials;
    const int64_t heads = view.call.sizes.heads;
    if constexpr (has_vectors(kTerms)) {
      add_vector_gradients(arguments, view, probabilities, grad_scores, grad_queries, tile, place,
                           memory);
    }
    if (place.half != 0) return;
    if constexpr (has_offset_bias(kTerms)) {
      if (partials.offset_bias.data != nullptr) {
        add_offset_bias_gradient<S>(
            block_partial(partials.offset_bias, arguments.query_split, place, heads),
            static_cast<int>(view.call.terms.bias_clip), grad_scores, tile, memory.terms);
      }
    }
    if constexpr (has_pairs(kTerms)) {
      add_pair_gradients(arguments, view, grad_scores, tile, place, memory);
    }
    if constexpr (has_features(kTerms)) {
      if (partials.query_features.data != nullptr) {
        add_feature_gradient<S>(part_partial(partials.query_features, place, heads), grad_scores,
                                head_table(view.call.terms.tables.key_features, place.head),
                                view.call.terms.rank, tile, memory.terms);
      }
    }
  }

  /// Adds to the gradients what through_table left out, after the last tile of the rows.
  /// single(clip): whether there are any.
  template <typename Single>
  DIETMT_DEVICE static void finish_rows(const BackwardArguments& arguments, const CallView& view,
                                        Sums& grad_queries, const BlockPlace& place,
                                        const Memory& memory, const Single& single) {
    const AttentionTables& partials = arguments.partials;
    const AttentionTerms& terms = view.call.terms;
    if (terms.tables.relative_keys.data != nullptr && single(terms.key_clip)) {
      Tiles::finish_table(grad_queries, partials.relative_keys, view, place, memory);
    }
    if (partials.relative_values.data != nullptr && place.half == 0 && single(terms.value_clip)) {
      add_end_gradients<S>(memory.rows.value, 1.0f, VectorTable::kOfValues, memory.terms);
    }
    sync_block();  // before the next rows arrive
  }

  DIETMT_DEVICE static void run_tile(const BackwardArguments& arguments, const CallView& view,
                                     const Sentence& sentence, int start, const BlockPlace& place,
                                     const Memory& memory) {
    const AttentionForward& call = view.call;
    const int head = view.head;
    const int column = place.half * Tiles::kSums;
    const int width = static_cast<int>(call.sizes.head_width);
    const int count = sentence.queries - start;
    const int64_t first = sentence.query_begin + start;
    load_rows<E, kWidth, kRows>(memory.rows.content, call.queries, first, count, head, width);
    if constexpr (has_vectors(kTerms)) start_all_ends<S>(view, memory.terms);
    load_rows<E, kWidth, kRows>(memory.rows.value, arguments.call.grad_output, first, count, head,
                                width);
    Tiles::template start_numbers<kRows>(arguments, view, sentence, start, count, 0, memory);
    if constexpr (Tiles::kAllParts) store_deltas<Tiles>(arguments, first, count, head, memory);
    store_sentence_columns<true>(memory.terms.sentence_columns, call.sizes, sentence, start);
    if constexpr (has_vectors(kTerms)) clear_row_sums<S>(memory.terms);
    int keys = sentence.keys;
    if (call.sizes.causal && start + kRows < keys) keys = start + kRows;
    const int end = (keys + Tiles::kColumns - 1) / Tiles::kColumns;
    Sums grad_queries;
    grad_queries.zero();
    const auto tile_at = [&](int index) {
      return TileOf{start, index * Tiles::kColumns, count, sentence.keys - index * Tiles::kColumns};
    };
    const auto load = [&](const TileOf& tile, int stage) {
      Tiles::start_columns(Tiles::stage_of(memory, stage), call.keys, call.values,
                           sentence.key_begin + tile.column_start, tile.columns, view);
    };
    const auto number = [&](int slot, int) {
      const int row = own_row(slot);
      return FloatPair{{memory.normalizer[row], memory.delta[row]}};
    };
    Tiles::stream(memory, view, 0, end, tile_at, load,
                  [&](const TileOf& tile, const typename Tiles::Columns& columns) {
                    if constexpr (has_pairs(kTerms)) {
                      load_segments<S>(memory.terms, call.terms, sentence, tile);
                    }
                    Scores scores;
                    Scores grad;
                    const ColumnRange seen = Tiles::differentiate(scores, grad, nullptr, 0, columns,
                                                                  view, tile, number, memory);
                    if constexpr (Tiles::kAllParts) {
                      if (!seen.empty()) store_tile<Tiles>(scores, grad, memory);
                    }
                    if (!seen.empty()) {
                      multiply<E, kStride<kWidth, E>>(grad_queries, grad,
                                                      columns.vectors.content + column, seen);
                    }
                    add_gradients(arguments, view, scores, grad, grad_queries, tile, place, memory);
                    if constexpr (Tiles::kAllParts) {
                      sync_block();
                      store_key_gradients<Tiles>(arguments, view, sentence, tile, memory);
                    }
                  });
    if constexpr (has_vectors(kTerms)) {
      finish_rows(arguments, view, grad_queries, place, memory,
                  [&](int64_t clip) { return meet_single_entries(tile_at, 0, end, clip); });
    }
    const float factor[kSlots] = {view.scale, view.scale, view.scale, view.scale};
    store_rows<E, Tiles::kSums>(grad_queries, factor, arguments.call.grad_queries, first, count,
                                head, width, column);
  }

  DIETMT_DEVICE static void finish(const BackwardArguments& arguments, const CallView& view,
                                   const BlockPlace& place, const Memory& memory) {
    if (place.half != 0) return;
    const AttentionTables& partials = arguments.partials;
    const AttentionTerms& terms = view.call.terms;
    const int width = static_cast<int>(view.call.sizes.head_width);
    const auto partial = [&](const HeadTable& table) {
      return block_partial(table, arguments.query_split, place, view.call.sizes.heads);
    };
    if constexpr (has_offset_bias(kTerms)) {
      if (partials.offset_bias.data != nullptr) {
        finish_offset_bias_gradient<S>(partial(partials.offset_bias),
                                       static_cast<int>(terms.bias_clip), memory.terms);
      }
    }
    if constexpr (has_vectors(kTerms)) {
      if (partials.relative_keys.data != nullptr) {
        finish_table_gradient<S>(partial(partials.relative_keys), terms.key_clip, width,
                                 VectorTable::kOfScores, memory.terms);
      }
      if (partials.relative_values.data != nullptr) {
        finish_table_gradient<S>(partial(partials.relative_values), terms.value_clip, width,
                                 VectorTable::kOfValues, memory.terms);
      }
    }
  }
};

}  // namespace dietmt::kernels
