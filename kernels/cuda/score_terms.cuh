// The scores of one tile with every term of kernels/attention.h, and the dropout of probabilities.
#pragma once

#include <limits>

#include "kernels/cuda/features.cuh"
#include "kernels/cuda/offset_band.cuh"
#include "kernels/cuda/offset_bias.cuh"
#include "kernels/cuda/pair_bias.cuh"
#include "kernels/dropout.h"

namespace dietmt::kernels {

/// A call as a kernel's block sees it.
struct CallView {
  const AttentionForward& call;
  const ConvertedTables& converted;
  const DropoutNumbers& dropout;
  const uint64_t* dropout_keys;  // in shared memory
  int head;
  float scale;  // of the content
};

/// Whether terms arrive after the vectors of a tile, in a separate group of copies.
constexpr bool has_late_terms(TermClass terms) { return has_pairs(terms) || has_vectors(terms); }

/// The relative tables that meet the rows and the columns of the scores.
template <typename S>
struct ScoreTables {
  const ConvertedTable& of_rows;
  const ConvertedTable& of_columns;
  int64_t row_clip;
  int64_t column_clip;

  DIETMT_DEVICE explicit ScoreTables(const CallView& view)
      : of_rows(S::kQueryRows ? view.converted.relative_keys : view.converted.relative_queries),
        of_columns(S::kQueryRows ? view.converted.relative_queries : view.converted.relative_keys),
        row_clip(S::kQueryRows ? view.call.terms.key_clip : view.call.terms.query_clip),
        column_clip(S::kQueryRows ? view.call.terms.query_clip : view.call.terms.key_clip) {}
};

/// Starts copying the ends of all tables over vectors.
template <typename S>
DIETMT_DEVICE void start_all_ends(const CallView& view, const TermMemory<S>& memory) {
  const ScoreTables<S> tables(view);
  start_ends<S>(memory.ends, EndTable::kOfRows, tables.of_rows, tables.row_clip, view.head);
  start_ends<S>(memory.ends, EndTable::kOfColumns, tables.of_columns, tables.column_clip,
                view.head);
  start_ends<S>(memory.ends, EndTable::kOfValues, view.converted.relative_values,
                view.call.terms.value_clip, view.head);
}

/// Products of the rows with the ends of their table, before their first tile, and of the columns,
/// where rows need them. Readers synchronise the block.
template <typename S>
DIETMT_DEVICE void store_score_ends(const typename S::E* rows, const typename S::E* columns,
                                    const CallView& view, const typename S::TileOf& tile,
                                    const TermMemory<S>& memory) {
  const ScoreTables<S> tables(view);
  if (tables.of_rows.data != nullptr && tile.begins(view.call.sizes.causal)) {
    store_row_ends<S>(memory.row_ends, rows, EndTable::kOfRows, memory);
  }
  if (tables.of_columns.data != nullptr && tile.has_single_entries(tables.column_clip)) {
    store_column_ends<S>(memory.column_ends, columns, EndTable::kOfColumns, 0, memory);
  }
}

/// Starts copying the terms of a tile other than vectors and biases of offsets.
template <typename S>
DIETMT_DEVICE void start_late_terms(const CallView& view, const typename S::TileOf& tile,
                                    const TermMemory<S>& memory) {
  if constexpr (has_pairs(S::kTerms)) start_pairs<S>(memory.pairs, view.call, tile, view.head);
  if constexpr (has_vectors(S::kTerms)) {
    const ScoreTables<S> tables(view);
    const bool by_row = tables.of_rows.data != nullptr;
    const ConvertedTable& table = by_row ? tables.of_rows : tables.of_columns;
    const int64_t clip = by_row ? tables.row_clip : tables.column_clip;
    if (table.data != nullptr && tile.entries(clip) == Entries::kSeveral) {
      start_chunk<S>(memory.chunk, table, clip, tile, view.head);
    }
  }
  if constexpr (has_late_terms(S::kTerms)) commit_copies();
}

/// Starts copying a chunk once no thread reads the last one.
template <typename S>
DIETMT_DEVICE void replace_chunk(const ConvertedTable& table, int64_t clip, const CallView& view,
                                 const typename S::TileOf& tile, const TermMemory<S>& memory) {
  sync_block();
  start_chunk<S>(memory.chunk, table, clip, tile, view.head);
  commit_copies();
}

DIETMT_DEVICE void await_chunk() {
  wait_copies<0>();
  sync_block();
}

template <typename S>
DIETMT_DEVICE void add_vectors(typename S::Scores& scores, const typename S::E* rows,
                               const typename S::E* columns, const CallView& view,
                               const typename S::TileOf& tile, bool works,
                               const TermMemory<S>& memory) {
  const ScoreTables<S> tables(view);
  if (tables.of_rows.data != nullptr && works) {
    add_by_row<S>(scores, rows, memory.row_ends, tables.row_clip, tile, memory);
  }
  if (tables.of_columns.data == nullptr) return;
  if (tile.entries(tables.column_clip) == Entries::kSeveral) {
    if (tables.of_rows.data != nullptr) {
      replace_chunk<S>(tables.of_columns, tables.column_clip, view, tile, memory);
      await_chunk();
    }
    fill_column_products<S>(columns, tables.column_clip, tile, memory);
    sync_block();
  }
  if (works) {
    add_by_column<S>(scores, memory.column_ends, tables.column_clip, tile, memory);
  }
}

/// Without terms, scores stay products until the softmax shifts them: scale and shift are one fused
/// multiply-add.
template <typename S>
DIETMT_DEVICE float late_scale(const CallView& view) {
  return S::kTerms == TermClass::kPlain ? view.scale * kLog2E : 1.0f;
}

/// Hides the keys that a query does not see: -infinity.
template <typename S>
DIETMT_DEVICE void hide_scores(typename S::Scores& scores, bool causal,
                               const typename S::TileOf& tile, const TermMemory<S>& memory) {
  if (tile.warp_sees_all(memory.sentence_columns, causal)) return;
  const int column = 2 * (lane_index() % 4);
  DIETMT_UNROLL
  for (int slot = 0; slot < kSlots; ++slot) {
    const int row = own_row(slot);
    const ColumnRange range = tile.visible(row, memory.sentence_columns[row], causal);
    DIETMT_UNROLL
    for (int n = 0; n < S::kColumns / 8; ++n) {
      DIETMT_UNROLL
      for (int e = 0; e < 2; ++e) {
        const int at = column + 8 * n + e;
        float& score = scores.value[slot / 2][n][slot % 2 * 2 + e];
        if (at < range.from || at >= range.to) score = -std::numeric_limits<float>::infinity();
      }
    }
  }
}

/// Scores in units of log 2, divided by late_scale, with all terms but vectors; -infinity where a
/// key is hidden.
template <typename S>
DIETMT_DEVICE void finish_scores(typename S::Scores& scores, float factor, const float* offset_bias,
                                 const CallView& view, const typename S::TileOf& tile,
                                 const TermMemory<S>& memory) {
  const AttentionTerms& terms = view.call.terms;
  bool scaled = false;
  if constexpr (has_offset_bias(S::kTerms)) {
    if (S::kTerms == TermClass::kOffsetBias || terms.tables.offset_bias.data != nullptr) {
      add_offset_bias<S>(scores, offset_bias, factor);
      scaled = true;
    }
  }
  if constexpr (S::kTerms != TermClass::kPlain) {
    if (!scaled) scores.for_each([&](int, int, float& score, int) { score *= factor; });
  }
  if constexpr (has_pairs(S::kTerms)) {
    if (terms.tables.position_bias.data != nullptr) add_pairs<S>(scores, memory.pairs);
    if (terms.tables.segment_bias.data != nullptr) {
      add_segments<S>(scores, terms, view.head, memory);
    }
  }
  hide_scores<S>(scores, view.call.sizes.causal, tile, memory);
}

/// The columns that a warp's rows see; none: it has no work in this tile.
template <typename S>
DIETMT_DEVICE ColumnRange warp_columns(const CallView& view, const typename S::TileOf& tile,
                                       const TermMemory<S>& memory) {
  return tile.seen_by(memory.sentence_columns, warp_index() * kWarpRows, kWarpRows,
                      view.call.sizes.causal);
}

/// What enters the softmax in units of log 2, divided by late_scale, for warps that work. All
/// threads of the block call it, when rows, columns and offset_bias have arrived and one newer
/// group of copies is on its way.
template <typename S>
DIETMT_DEVICE void compute_scores(typename S::Scores& scores, const typename S::E* rows,
                                  const typename S::E* columns, const float* offset_bias,
                                  const CallView& view, const typename S::TileOf& tile,
                                  const ColumnRange& columns_seen, const TermMemory<S>& memory) {
  const bool works = !columns_seen.empty();
  if constexpr (has_vectors(S::kTerms)) store_score_ends<S>(rows, columns, view, tile, memory);
  scores.zero();
  if (works) multiply_transposed<typename S::E, S::kWidth>(scores, rows, columns, columns_seen);
  if constexpr (has_late_terms(S::kTerms)) {
    wait_copies<1>();
    sync_block();
  }
  if constexpr (has_vectors(S::kTerms)) {
    add_vectors<S>(scores, rows, columns, view, tile, works, memory);
  }
  float factor = view.scale * kLog2E;
  if constexpr (has_features(S::kTerms)) {
    if (view.call.terms.tables.query_features.data != nullptr) {
      scores.for_each([&](int, int, float& score, int) { score *= view.scale; });
      add_features<S>(scores, view.call.terms, tile, view.head, memory);
      factor = kLog2E;
    }
  }
  if (works) finish_scores<S>(scores, factor, offset_bias, view, tile, memory);
}

/// Which probabilities of a thread's part of a tile are kept, a bit for each.
template <typename S>
struct KeptBits {
  static constexpr int kWords = (S::kColumns + 31) / 32;
  uint32_t of[kWords];

  DIETMT_DEVICE static constexpr int place(int slot, int n, int e) {
    return (slot * (S::kColumns / 8) + n) * 2 + e;
  }
  DIETMT_DEVICE bool keeps(int slot, int n, int e) const {
    const int bit = place(slot, n, e);
    return (of[bit / 32] >> (bit % 32) & 1U) != 0;
  }
};

/// Leaves where dropout of a query begins in shared memory.
DIETMT_DEVICE void store_dropout_start(const CallView& view, const Sentence& sentence, int query,
                                       uint32_t* to) {
  if (view.dropout.threshold == 0) return;
  *to = dropout_start(view.dropout_keys, view.call.sizes, sentence, view.head, query);
}

/// All bits are set if the call drops nothing. `starts`: of the tile's queries.
template <typename S>
DIETMT_DEVICE KeptBits<S> kept_bits(const CallView& view, const uint32_t* starts,
                                    const typename S::TileOf& tile) {
  KeptBits<S> bits;
  const bool drops = view.dropout.threshold > 0;
  for (uint32_t& word : bits.of) word = drops ? 0 : ~uint32_t{0};
  if (!drops) return bits;
  const int row = own_row(0);
  const int column = 2 * (lane_index() % 4);
  const uint32_t first_key = static_cast<uint32_t>(tile.key(row, column)) * kDropoutStep;
  DIETMT_UNROLL
  for (int slot = 0; slot < kSlots; ++slot) {
    DIETMT_UNROLL
    for (int n = 0; n < S::kColumns / 8; ++n) {
      DIETMT_UNROLL
      for (int e = 0; e < 2; ++e) {
        const int query = S::kQueryRows ? row + 8 * slot : column + 8 * n + e;
        const int key = S::kQueryRows ? 8 * n + e : 8 * slot;
        const uint32_t place =
            starts[query] + first_key + static_cast<uint32_t>(key) * kDropoutStep;
        const bool keeps = dropout_keeps_at(place, view.dropout.threshold);
        const int bit = KeptBits<S>::place(slot, n, e);
        bits.of[bit / 32] |= (keeps ? 1U : 0U) << (bit % 32);
      }
    }
  }
  return bits;
}

}  // namespace dietmt::kernels
