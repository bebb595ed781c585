// Gradients of keys and values, and of the tables that keys meet.
#pragma once

#include "kernels/cuda/backward_tiles.cuh"

namespace dietmt::kernels {

template <typename E, int kWidth, TermClass kTerms, GradientPart kPart>
struct BackwardOfKeys {
  using Tiles = BackwardTiles<E, kWidth, kTerms, kPart>;
  using S = typename Tiles::S;
  using Sums = typename Tiles::Sums;
  using Memory = typename Tiles::Memory;
  using Scores = typename Tiles::Scores;
  using TileOf = typename Tiles::TileOf;
  static constexpr bool kOfKeys = kPart != GradientPart::kValues;
  static constexpr bool kOfValues = kPart != GradientPart::kKeys;

  DIETMT_DEVICE static void add_gradients(const BackwardArguments& arguments, const CallView& view,
                                          Scores& grad_scores, Sums& grad_keys, const TileOf& tile,
                                          const BlockPlace& place, const Memory& memory) {
    const AttentionTables& tables = view.call.terms.tables;
    const AttentionTables& partials = arguments.partials;
    const int64_t heads = view.call.sizes.heads;
    if constexpr (has_vectors(kTerms)) {
      if (tables.relative_queries.data != nullptr) {
        float* sums =
            partials.relative_queries.data == nullptr || place.half != 0
                ? nullptr
                : block_partial(partials.relative_queries, arguments.key_split, place, heads);
        Tiles::through_table(grad_keys, grad_scores, view.converted.relative_queries,
                             view.call.terms.query_clip, sums, view, tile,
                             place.half * Tiles::kSums, memory);
      }
    }
    if constexpr (has_features(kTerms)) {
      if (partials.key_features.data != nullptr && place.half == 0) {
        add_feature_gradient<S>(part_partial(partials.key_features, place, heads), grad_scores,
                                head_table(tables.query_features, place.head), view.call.terms.rank,
                                tile, memory.terms);
      }
    }
  }

  DIETMT_DEVICE static void run_tile(const BackwardArguments& arguments, const CallView& view,
                                     const Sentence& sentence, int start, const BlockPlace& place,
                                     const Memory& memory) {
    const AttentionForward& call = view.call;
    const int head = view.head;
    const int column = place.half * Tiles::kSums;
    const int width = static_cast<int>(call.sizes.head_width);
    const int count = sentence.keys - start;
    const int64_t first = sentence.key_begin + start;
    load_rows<E, kWidth, kRows>(memory.rows.content, call.keys, first, count, head, width);
    store_sentence_columns<false>(memory.terms.sentence_columns, call.sizes, sentence, start);
    if constexpr (has_vectors(kTerms)) start_all_ends<S>(view, memory.terms);
    if constexpr (kOfKeys) {
      load_rows<E, kWidth, kRows>(memory.rows.value, call.values, first, count, head, width);
    }
    if constexpr (has_vectors(kTerms) && kOfKeys) clear_row_sums<S>(memory.terms);
    Sums grad_keys;
    Sums grad_values;
    if constexpr (kOfKeys) grad_keys.zero();
    if constexpr (kOfValues) grad_values.zero();
    const auto tile_at = [&](int index) {
      return TileOf{start, index * Tiles::kColumns, count,
                    sentence.queries - index * Tiles::kColumns};
    };
    const auto load = [&](const TileOf& tile, int stage) {
      const int64_t from = sentence.query_begin + tile.column_start;
      Tiles::start_columns(Tiles::stage_of(memory, stage), call.queries, arguments.call.grad_output,
                           from, tile.columns, view);
      Tiles::template start_numbers<Tiles::kColumns>(arguments, view, sentence, tile.column_start,
                                                     tile.columns, stage * Tiles::kColumns, memory);
    };
    const int begin = call.sizes.causal ? start / Tiles::kColumns : 0;
    const int end = (sentence.queries + Tiles::kColumns - 1) / Tiles::kColumns;
    Tiles::stream(memory, view, begin, end, tile_at, load,
                  [&](const TileOf& tile, const typename Tiles::Columns& columns) {
                    if constexpr (has_pairs(kTerms)) {
                      load_segments<S>(memory.terms, call.terms, sentence, tile);
                    }
                    const auto number = [&](int, int query) {
                      return FloatPair{{columns.normalizer[query], columns.delta[query]}};
                    };
                    Scores scores;
                    Scores grad;
                    const ColumnRange seen = Tiles::differentiate(
                        scores, grad, &grad_values, column, columns, view, tile, number, memory);
                    if constexpr (kOfKeys) {
                      if (!seen.empty()) {
                        multiply<E, kStride<kWidth, E>>(grad_keys, grad,
                                                        columns.vectors.content + column, seen);
                      }
                      add_gradients(arguments, view, grad, grad_keys, tile, place, memory);
                    }
                  });
    if constexpr (has_vectors(kTerms) && kOfKeys) {
      if (call.terms.tables.relative_queries.data != nullptr &&
          meet_single_entries(tile_at, begin, end, call.terms.query_clip)) {
        Tiles::finish_table(grad_keys, arguments.partials.relative_queries, view, place, memory);
        sync_block();  // before the next rows arrive
      }
    }
    if constexpr (kOfKeys) {
      const float factor[kSlots] = {view.scale, view.scale, view.scale, view.scale};
      store_rows<E, Tiles::kSums>(grad_keys, factor, arguments.call.grad_keys, first, count, head,
                                  width, column);
    }
    if constexpr (kOfValues) {
      constexpr float kOne[kSlots] = {1.0f, 1.0f, 1.0f, 1.0f};
      store_rows<E, Tiles::kSums>(grad_values, kOne, arguments.call.grad_values, first, count, head,
                                  width, column);
    }
  }

  DIETMT_DEVICE static void finish(const BackwardArguments& arguments, const CallView& view,
                                   const BlockPlace& place, const Memory& memory) {
    if constexpr (has_vectors(kTerms) && kOfKeys) {
      const HeadTable& table = arguments.partials.relative_queries;
      if (table.data == nullptr || place.half != 0) return;
      const int64_t heads = view.call.sizes.heads;
      finish_table_gradient<S>(
          block_partial(table, arguments.key_split, place, heads), view.call.terms.query_clip,
          static_cast<int>(view.call.sizes.head_width), VectorTable::kOfScores, memory.terms);
    }
  }
};

}  // namespace dietmt::kernels
