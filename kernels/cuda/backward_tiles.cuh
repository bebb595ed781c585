// Tiles of all parts of the backward pass (attention_backward.cuh).
#pragma once

#include "kernels/cuda/table_gradients.cuh"

namespace dietmt::kernels {

/// The sums of a block: grad_queries; grad_keys and grad_values; one of the latter, for heads so
/// wide that the registers have no room for both; or all, where a block has all queries of its
/// keys.
enum class GradientPart { kQueries, kKeysAndValues, kKeys, kValues, kAll };

/// Keys and values in one kernel where the registers have room for the gradients of both.
constexpr bool splits_keys(TermClass terms, int width) {
  return width > 64 || (terms != TermClass::kPlain && terms != TermClass::kOffsetBias);
}

/// Blocks that divide the columns of a sum among them, because the registers have no room for all.
constexpr int sum_halves(TermClass terms, int width) {
  return has_vectors(terms) && width > (has_features(terms) ? 32 : 64) ? 2 : 1;
}

/// Columns of a tile: as many as fit into the registers next to the sums of the rows.
template <typename E>
constexpr int backward_columns(TermClass terms, int width, GradientPart part) {
  if (kIsFloat<E>) return 16;
  // Blocks of values have no gradients of scores.
  if (has_vectors(terms) && part == GradientPart::kValues) return 32;
  if (has_late_terms(terms)) return width <= 32 && !has_features(terms) ? 32 : 16;
  return width > 96 && part != GradientPart::kValues ? 16 : 32;
}

/// Tiles of scores and of their gradients. Rows are the queries or the keys that a block owns;
/// columns stream past.
template <typename Element, int kHeadWidth, TermClass kTermClass, GradientPart kPart>
struct BackwardTiles {
  using E = Element;
  static constexpr int kWidth = kHeadWidth;
  static constexpr TermClass kTerms = kTermClass;
  static constexpr bool kAllParts = kPart == GradientPart::kAll;
  static constexpr bool kQueryRows = kPart == GradientPart::kQueries || kAllParts;
  static constexpr int kColumns = backward_columns<E>(kTerms, kWidth, kPart);
  static constexpr int kSums = kWidth / sum_halves(kTerms, kWidth);  // columns of a sum
  using Sums = WarpRows<kSums>;
  static constexpr bool kGradients = kPart != GradientPart::kValues;  // of scores
  using S = Shape<E, kWidth, kTerms, kQueryRows, kColumns, kGradients>;
  using Scores = typename S::Scores;
  using TileOf = typename S::TileOf;
  static constexpr int kStages = 2;
  static constexpr int kSize = kColumns * kStride<kWidth, E>;

  /// Keys and values, or queries and grad_output.
  struct Pair {
    E* content;  // vectors of the scores
    E* value;    // vectors of the gradients of the probabilities
  };

  struct Memory {
    Pair rows;
    E* columns;                // [kStages] pairs of tiles
    float* normalizer;         // [kRows] or [kStages, kColumns], whichever are queries
    float* delta;              // the same
    uint32_t* dropout_starts;  // the same
    uint64_t* dropout_keys;    // [kWarps]
    E* probabilities;          // kAll: [kRows, kStride<kColumns>], after dropout
    E* grad_scores;            // the same
    TermMemory<S> terms;
  };

  /// What arrives for a tile of columns.
  struct Columns {
    Pair vectors;
    const float* normalizer;
    const float* delta;
    const uint32_t* dropout_starts;
    const float* offset_bias;
  };

  DIETMT_HOST_DEVICE static Memory take_memory(SharedMemory& shared, const AttentionForward& call) {
    Memory memory;
    memory.rows.content = shared.take<E>(kRows * kStride<kWidth, E>);
    memory.rows.value = shared.take<E>(kGradients ? kRows * kStride<kWidth, E> : 0);
    memory.columns = shared.take<E>(2 * kStages * kSize);
    memory.normalizer = shared.take<float>(kQueryRows ? kRows : kStages * kColumns);
    memory.delta = shared.take<float>(kQueryRows ? kRows : kStages * kColumns);
    memory.dropout_starts = shared.take<uint32_t>(kQueryRows ? kRows : kStages * kColumns);
    memory.dropout_keys = shared.take<uint64_t>(kWarps);
    memory.probabilities = shared.take<E>(kAllParts ? kRows * kStride<kColumns, E> : 0);
    memory.grad_scores = shared.take<E>(kAllParts ? kRows * kStride<kColumns, E> : 0);
    memory.terms = take_term_memory<S>(shared, call.terms.tables);
    return memory;
  }

  DIETMT_HOST_DEVICE static int64_t shared_bytes(const AttentionForward& call) {
    SharedMemory shared(nullptr);
    take_memory(shared, call);
    return shared.used();
  }

  DIETMT_DEVICE static Pair stage_of(const Memory& memory, int stage) {
    return {memory.columns + 2 * stage * kSize, memory.columns + (2 * stage + 1) * kSize};
  }

  /// Starts copying the normalisers and D, if it is computed, of `count` queries from `start` on to
  /// place `at`, and leaves where their dropout begins there.
  template <int kCount>
  DIETMT_DEVICE static void start_numbers(const BackwardArguments& arguments, const CallView& view,
                                          const Sentence& sentence, int start, int count, int at,
                                          const Memory& memory) {
    static_assert(kCount <= kThreads);
    const AttentionForward& call = arguments.call.forward;
    const int query = recomputed(thread_index());
    if (query >= kCount) return;
    const bool valid = query < count;
    const int64_t first = sentence.query_begin + start;
    const int64_t from = view.head * query_tokens(call.sizes) + first + (valid ? query : 0);
    copy_word_async(memory.normalizer + at + query, call.log_normalizer + from, valid);
    if constexpr (!kAllParts) {
      copy_word_async(memory.delta + at + query, arguments.delta + from, valid);
    }
    store_dropout_start(view, sentence, start + query, memory.dropout_starts + at + query);
  }

  /// Copies of the vectors of a tile of columns.
  DIETMT_DEVICE static void start_columns(const Pair& to, const HeadRows& content,
                                          const HeadRows& value, int64_t first, int count,
                                          const CallView& view) {
    const int width = static_cast<int>(view.call.sizes.head_width);
    load_rows<E, kWidth, kColumns>(to.content, content, first, count, view.head, width);
    load_rows<E, kWidth, kColumns>(to.value, value, first, count, view.head, width);
  }

  /// Runs body(tile, columns) for the tiles of columns first, first + 1, .. below `end`, with the
  /// next tile on its way. tile_at(index) is a tile; start(tile, stage) starts its copies.
  template <typename TileAt, typename Start, typename Body>
  DIETMT_DEVICE static void stream(const Memory& memory, const CallView& view, int first, int end,
                                   const TileAt& tile_at, const Start& start, const Body& body) {
    const auto load = [&](int index) {
      if (index < end) {
        const TileOf tile = tile_at(index);
        const int stage = (index - first) % kStages;
        start(tile, stage);
        if constexpr (has_offset_bias(kTerms)) {
          start_offset_bias<S>(memory.terms.offset_bias + stage * S::kOffsets, view.call.terms,
                               tile, view.head);
        }
      }
      commit_copies();
    };
    load(first);
    for (int index = first; index < end; ++index) {
      const TileOf tile = tile_at(index);
      const int stage = (index - first) % kStages;
      start_late_terms<S>(view, tile, memory.terms);
      load(index + 1);
      wait_copies<has_late_terms(kTerms) ? 2 : 1>();
      body(tile, Columns{stage_of(memory, stage), memory.normalizer + stage * kColumns,
                         memory.delta + stage * kColumns,
                         memory.dropout_starts + (kQueryRows ? 0 : stage * kColumns),
                         memory.terms.offset_bias + stage * S::kOffsets});
      sync_block();
    }
    wait_copies<0>();
  }

  /// Runs run_tile(sentence, first row) for the tiles of rows that a block owns.
  template <typename RunTile>
  DIETMT_DEVICE static void for_own_tiles(const BackwardArguments& arguments, const Split& split,
                                          const BlockPlace& place, const RunTile& run_tile) {
    constexpr bool kPositions = has_pairs(kTerms) || has_features(kTerms);
    const AttentionSizes& sizes = arguments.call.forward.sizes;
    const DeviceTiles& tiles = kQueryRows ? arguments.query_tiles : arguments.key_tiles;
    const bool by_position = kPositions && split.by_position;
    const auto end = static_cast<int>(by_position ? sizes.sentences : tiles.count);
    int tile = place.group;
    for (int index = place.part; index < end;) {
      const TileOfSentence next = by_position ? TileOfSentence{index, tile} : tiles.data[index];
      const Sentence sentence = sentence_of(sizes, next);
      const int start = first_row(next);
      const bool exists = start < (kQueryRows ? sentence.queries : sentence.keys);
      if (exists) run_tile(sentence, start);
      const bool same_sentence = by_position && exists;
      tile = same_sentence ? tile + split.groups : place.group;
      if (!same_sentence) index += split.parts;
    }
  }

  /// Products of grad_output with the ends of relative_values, as store_score_ends does.
  DIETMT_DEVICE static void store_value_ends(const Pair& rows, const Pair& columns,
                                             const CallView& view, const TileOf& tile,
                                             const TermMemory<S>& memory) {
    if (view.converted.relative_values.data == nullptr) return;
    if constexpr (kQueryRows) {
      if (!tile.begins(view.call.sizes.causal)) return;
      store_row_ends<S>(memory.value_ends, rows.value, EndTable::kOfValues, memory);
    } else {
      if (!tile.has_single_entries(view.call.terms.value_clip)) return;
      // The first warps have the columns of the scores.
      store_column_ends<S>(memory.value_ends, columns.value, EndTable::kOfValues, kWarps / 2,
                           memory);
    }
  }

  /// grad += grad_output . relative_values. A chunk is on its way if the tile meets several
  /// entries.
  DIETMT_DEVICE static void add_relative_values(Scores& grad, const Pair& rows, const Pair& columns,
                                                int64_t clip, const TileOf& tile, bool works,
                                                const TermMemory<S>& memory) {
    const bool several = tile.entries(clip) == Entries::kSeveral;
    if (several) await_chunk();
    if constexpr (kQueryRows) {
      if (works) add_by_row<S>(grad, rows.value, memory.value_ends, clip, tile, memory);
    } else {
      if (several) {
        fill_column_products<S>(columns.value, clip, tile, memory);
        sync_block();
      }
      if (works) add_by_column<S>(grad, memory.value_ends, clip, tile, memory);
    }
  }

  /// f(score, slot, n, e) of a thread's scores, neighbouring columns first.
  template <typename F>
  DIETMT_DEVICE static void for_each_score(Scores& scores, const F& f) {
    DIETMT_UNROLL
    for (int n = 0; n < kColumns / 8; ++n) {
      DIETMT_UNROLL
      for (int e = 0; e < 2; ++e) {
        DIETMT_UNROLL
        for (int slot = 0; slot < kSlots; ++slot) {
          f(scores.value[slot / 2][n][slot % 2 * 2 + e], slot, n, e);
        }
      }
    }
  }

  DIETMT_DEVICE static int own_column(int n, int e) { return 8 * n + 2 * (lane_index() % 4) + e; }

  /// sums += probabilities after dropout times values.
  DIETMT_DEVICE static void add_dropped(Sums& sums, Scores probabilities, const KeptBits<S>& kept,
                                        float scale, const E* values,
                                        const ColumnRange& columns_seen) {
    for_each_score(probabilities, [&](float& probability, int slot, int n, int e) {
      probability *= kept.keeps(slot, n, e) ? scale : 0.0f;
    });
    multiply<E, kStride<kWidth, E>>(sums, probabilities, values, columns_seen);
  }

  /// The gradients of the probabilities after dropout.
  DIETMT_DEVICE static void differentiate_products(Scores& grad, const Columns& columns,
                                                   const CallView& view, const TileOf& tile,
                                                   const ColumnRange& columns_seen,
                                                   const Memory& memory) {
    const bool works = !columns_seen.empty();
    const ConvertedTable& table = view.converted.relative_values;
    const int64_t clip = view.call.terms.value_clip;
    const bool relative = has_vectors(kTerms) && table.data != nullptr;
    if constexpr (has_vectors(kTerms)) {
      if (relative && tile.entries(clip) == Entries::kSeveral) {
        replace_chunk<S>(table, clip, view, tile, memory.terms);
      }
    }
    if (works) {
      multiply_transposed<E, kWidth>(grad, memory.rows.value, columns.vectors.value, columns_seen);
    }
    if constexpr (has_vectors(kTerms)) {
      if (relative) {
        add_relative_values(grad, memory.rows, columns.vectors, clip, tile, works, memory.terms);
      }
    }
  }

  /// The probabilities after dropout and the gradients of the scores, zeros for a warp that has
  /// none; both only where a part needs them. number(slot, column) gives a query's normaliser and
  /// D. Adds to `value_sums`, if the part has them, before the gradients need registers. Returns
  /// the columns that the warp's rows see.
  template <typename Number>
  DIETMT_DEVICE static ColumnRange differentiate(Scores& scores, Scores& grad, Sums* value_sums,
                                                 int first_column, const Columns& columns,
                                                 const CallView& view, const TileOf& tile,
                                                 const Number& number, const Memory& memory) {
    sync_block();
    const ColumnRange seen = warp_columns<S>(view, tile, memory.terms);
    if constexpr (has_vectors(kTerms) && kGradients) {
      store_value_ends(memory.rows, columns.vectors, view, tile, memory.terms);
    }
    // Here, because the scores leave no registers for it.
    const KeptBits<S> kept = kept_bits<S>(view, columns.dropout_starts, tile);
    compute_scores<S>(scores, memory.rows.content, columns.vectors.content, columns.offset_bias,
                      view, tile, seen, memory.terms);
    const float scale = view.dropout.scale;
    if (!seen.empty()) {
      const float of_scores = late_scale<S>(view);
      for_each_score(scores, [&](float& score, int slot, int n, int e) {
        const float shift = number(slot, own_column(n, e)).of[0] * kLog2E;
        score = exp2_fast(fmaf(score, of_scores, -shift));
      });
      if constexpr (kPart == GradientPart::kValues || kPart == GradientPart::kKeysAndValues) {
        add_dropped(*value_sums, scores, kept, scale, columns.vectors.value + first_column, seen);
      }
    } else {
      scores.zero();
    }
    if constexpr (!kGradients) return seen;
    grad.zero();
    differentiate_products(grad, columns, view, tile, seen, memory);
    if (seen.empty()) {
      grad.zero();
      return seen;
    }
    for_each_score(scores, [&](float& score, int slot, int n, int e) {
      float& gradient = grad.value[slot / 2][n][slot % 2 * 2 + e];
      const float factor = kept.keeps(slot, n, e) ? scale : 0.0f;
      gradient = score * (gradient * factor - number(slot, own_column(n, e)).of[1]);
      score *= factor;
    });
    return seen;
  }

  /// sums += grad_scores table[offset] for a table that belongs to the rows, and the table's own
  /// gradient: partial[offset] += grad_scores rows. partial may be null. Rows whose offsets all
  /// have the same entry are left to finish_table.
  DIETMT_DEVICE static void through_table(Sums& sums, const Scores& grad_scores,
                                          const ConvertedTable& table, int64_t clip, float* partial,
                                          const CallView& view, const TileOf& tile, int column,
                                          const Memory& memory) {
    add_row_sums<S>(grad_scores, clip, tile, VectorTable::kOfScores, memory.terms);
    if (tile.entries(clip) != Entries::kSeveral) return;
    replace_chunk<S>(table, clip, view, tile, memory.terms);
    await_chunk();
    multiply_offsets<S>(sums, grad_scores, clip, tile, memory.terms, column);
    if (partial == nullptr) return;
    add_table_gradient<S>(partial, clip, static_cast<int>(view.call.sizes.head_width), view.scale,
                          memory.rows.content, tile, VectorTable::kOfScores, memory.terms);
  }

  /// Adds what through_table left out, after the last tile of the rows.
  DIETMT_DEVICE static void finish_table(Sums& sums, const HeadTable& partial, const CallView& view,
                                         const BlockPlace& place, const Memory& memory) {
    const E* ends = ends_of(memory.terms, EndTable::kOfRows) + place.half * kSums;
    add_ends<S>(sums, ends, row_sums_of(memory.terms, VectorTable::kOfScores, 0));
    if (partial.data != nullptr && place.half == 0) {
      add_end_gradients<S>(memory.rows.content, view.scale, VectorTable::kOfScores, memory.terms);
    }
  }
};

}  // namespace dietmt::kernels
