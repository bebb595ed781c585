// Terms of pairs of tokens: position_bias by tiles through shared memory, and segment_bias.
#pragma once

#include "kernels/cuda/term_memory.cuh"

namespace dietmt::kernels {

/// Rows of position_bias whose parts may be copied 16 bytes at a time.
DIETMT_DEVICE bool has_aligned_pairs(const float* table, int64_t max_keys) {
  return max_keys % 4 == 0 && reinterpret_cast<uint64_t>(table) % 16 == 0;
}

/// Starts copying the tile's part of position_bias.
template <typename S>
DIETMT_DEVICE void start_pairs(float* to, const AttentionForward& call,
                               const typename S::TileOf& tile, int head) {
  if (call.terms.tables.position_bias.data == nullptr) return;
  const int64_t stride = call.sizes.max_keys;
  const float* table = head_table(call.terms.tables.position_bias, head) +
                       tile.query_start() * stride + tile.key_start();
  const int queries = S::kQueryRows ? tile.rows : tile.columns;
  const int keys = S::kQueryRows ? tile.columns : tile.rows;
  const auto copy = [&](int query, int key, const auto& start) {
    const bool valid = query < queries && key < keys;
    start(to + query * S::kPairStride + key, valid ? table + query * stride + key : table, valid);
  };
  if (has_aligned_pairs(table, stride)) {
    constexpr int kPieces = S::kPairKeys / 4;
    DIETMT_UNROLL_TWICE
    for (int index = recomputed(thread_index()); index < S::kPairQueries * kPieces;
         index += kThreads) {
      copy(index / kPieces, index % kPieces * 4,
           [](float* into, const float* from, bool valid) { copy_async(into, from, valid); });
    }
    return;
  }
  DIETMT_UNROLL_TWICE
  for (int index = recomputed(thread_index()); index < S::kPairQueries * S::kPairKeys;
       index += kThreads) {
    copy(index / S::kPairKeys, index % S::kPairKeys,
         [](float* into, const float* from, bool valid) { copy_word_async(into, from, valid); });
  }
}

template <typename S>
DIETMT_DEVICE int pair_place(int row, int column) {
  return S::kQueryRows ? row * S::kPairStride + column : column * S::kPairStride + row;
}

/// The biases of two neighbouring columns.
template <typename S>
DIETMT_DEVICE FloatPair load_pair(const float* pairs, int row, int column) {
  const float* from = pairs + pair_place<S>(row, column);
  if constexpr (S::kQueryRows) return *reinterpret_cast<const FloatPair*>(from);
  return {{from[0], from[S::kPairStride]}};
}

/// scores += log2(e) * position_bias.
template <typename S>
DIETMT_DEVICE void add_pairs(typename S::Scores& scores, const float* pairs) {
  DIETMT_UNROLL
  for (int slot = 0; slot < kSlots; ++slot) {
    DIETMT_UNROLL
    for (int n = 0; n < S::kColumns / 8; ++n) {
      const int column = 8 * n + 2 * (lane_index() % 4);
      const FloatPair bias = load_pair<S>(pairs, own_row(slot), column);
      DIETMT_UNROLL
      for (int e = 0; e < 2; ++e) {
        scores.value[slot / 2][n][slot % 2 * 2 + e] += bias.of[e] * kLog2E;
      }
    }
  }
}

/// partial[i,j] += grad_scores, for rows that are queries. Takes over the memory of the pairs.
template <typename S>
DIETMT_DEVICE void add_pairs_gradient(float* partial, typename S::Scores& grad_scores,
                                      const AttentionSizes& sizes, const typename S::TileOf& tile,
                                      const TermMemory<S>& memory) {
  sync_block();
  DIETMT_UNROLL
  for (int slot = 0; slot < kSlots; ++slot) {
    DIETMT_UNROLL
    for (int n = 0; n < S::kColumns / 8; ++n) {
      const float(&grad)[4] = grad_scores.value[slot / 2][n];
      const int place = pair_place<S>(own_row(slot), 8 * n + 2 * (lane_index() % 4));
      *reinterpret_cast<FloatPair*>(memory.pairs +
                                    place) = {{grad[slot % 2 * 2], grad[slot % 2 * 2 + 1]}};
    }
  }
  sync_block();
  float* to = partial + tile.query_start() * sizes.max_keys + tile.key_start();
  DIETMT_UNROLL_TWICE
  for (int index = recomputed(thread_index()); index < kRows * S::kColumns; index += kThreads) {
    const int row = index / S::kColumns;
    const int column = index % S::kColumns;
    if (row < tile.rows && column < tile.columns) {
      to[row * sizes.max_keys + column] += memory.pairs[pair_place<S>(row, column)];
    }
  }
}

/// The segments of the tile's tokens, which the caller synchronises.
template <typename S>
DIETMT_DEVICE void load_segments(const TermMemory<S>& memory, const AttentionTerms& terms,
                                 const Sentence& sentence, const typename S::TileOf& tile) {
  if (terms.tables.segment_bias.data == nullptr) return;
  const auto load = [&](int* to, int count, int start, int left) {
    for (int index = recomputed(thread_index()); index < count; index += kThreads) {
      const int64_t token = sentence.query_begin + start + index;
      to[index] = index < left ? static_cast<int>(terms.segments[token]) : 0;
    }
  };
  load(memory.row_segments, kRows, tile.row_start, tile.rows);
  load(memory.column_segments, S::kColumns, tile.column_start, tile.columns);
}

/// scores += log2(e) * segment_bias.
template <typename S>
DIETMT_DEVICE void add_segments(typename S::Scores& scores, const AttentionTerms& terms, int head,
                                const TermMemory<S>& memory) {
  const float* bias = head_table(terms.tables.segment_bias, head);
  const int kinds = static_cast<int>(terms.segment_kinds);
  scores.for_each([&](int row, int column, float& score, int) {
    const int of_row = memory.row_segments[row];
    const int of_column = memory.column_segments[column];
    const int query = S::kQueryRows ? of_row : of_column;
    const int key = S::kQueryRows ? of_column : of_row;
    score += bias[query * kinds + key] * kLog2E;
  });
}

/// partial[s, s'] += sum of grad_scores of the pairs of kinds s and s', for rows that are queries.
template <typename S>
DIETMT_DEVICE void add_segment_bias_gradient(float* partial, typename S::Scores& grad_scores,
                                             const TermMemory<S>& memory, int kinds) {
  for (int key = 0; key < kinds; ++key) {
    float row_sum[kSlots] = {};
    grad_scores.for_each([&](int, int column, float& grad, int slot) {
      if (memory.column_segments[column] == key) row_sum[slot] += grad;
    });
    sync_block();
    DIETMT_UNROLL
    for (int slot = 0; slot < kSlots; ++slot) {
      row_sum[slot] += shuffle_xor(row_sum[slot], 1);
      row_sum[slot] += shuffle_xor(row_sum[slot], 2);
      if (lane_index() % 4 == 0) memory.segment_sums[own_row(slot)] = row_sum[slot];
    }
    sync_block();
    for (int query = thread_index(); query < kinds; query += kThreads) {
      float sum = 0.0f;
      for (int row = 0; row < kRows; ++row) {
        if (memory.row_segments[row] == query) sum += memory.segment_sums[row];
      }
      partial[query * kinds + key] += sum;
    }
  }
}

}  // namespace dietmt::kernels
