// Products of features, query_features . key_features, in pieces of kWidth features.
#pragma once

#include "kernels/cuda/term_memory.cuh"

namespace dietmt::kernels {

/// Columns first .. first + kWidth - 1 of the features of kCount positions, zeros beyond.
template <typename S, int kCount>
DIETMT_DEVICE void load_features(typename S::E* tile, const float* features, int64_t rank,
                                 int start, int rows, int first) {
  using E = typename S::E;
  constexpr int kPairs = S::kWidth / 2;
  DIETMT_UNROLL_TWICE
  for (int index = recomputed(thread_index()); index < kCount * kPairs; index += kThreads) {
    const int row = index / kPairs;
    const int column = index % kPairs * 2;
    const float* from = features + (start + row) * rank + first + column;
    const float left = row < rows && first + column < rank ? from[0] : 0.0f;
    const float right = row < rows && first + column + 1 < rank ? from[1] : 0.0f;
    store_pair<E>(tile + row * kStride<S::kWidth, E> + column, left, right);
  }
}

/// scores += query_features . key_features. Uses the memory of chunks.
template <typename S>
DIETMT_DEVICE void add_features(typename S::Scores& scores, const AttentionTerms& terms,
                                const typename S::TileOf& tile, int head,
                                const TermMemory<S>& memory) {
  using E = typename S::E;
  const AttentionTables& tables = terms.tables;
  const float* rows = head_table(S::kQueryRows ? tables.query_features : tables.key_features, head);
  const float* columns =
      head_table(S::kQueryRows ? tables.key_features : tables.query_features, head);
  E* of_columns = memory.chunk + kRows * kStride<S::kWidth, E>;
  for (int first = 0; first < terms.rank; first += S::kWidth) {
    sync_block();
    load_features<S, kRows>(memory.chunk, rows, terms.rank, tile.row_start, tile.rows, first);
    load_features<S, S::kColumns>(of_columns, columns, terms.rank, tile.column_start, tile.columns,
                                  first);
    sync_block();
    multiply_transposed<E, S::kWidth>(scores, memory.chunk, of_columns, {0, S::kColumns});
  }
}

/// partial[row] += sum_c grad_scores[row,c] features[c] for the rows of the tile; features and
/// partial are [positions, rank], of the columns and of the rows.
template <typename S>
DIETMT_DEVICE void add_feature_gradient(float* partial, const typename S::Scores& grad_scores,
                                        const float* features, int64_t rank,
                                        const typename S::TileOf& tile,
                                        const TermMemory<S>& memory) {
  using E = typename S::E;
  constexpr int kPiece = 16;  // columns at a time, for the registers of their sums
  for (int first = 0; first < rank; first += S::kWidth) {
    sync_block();
    load_features<S, S::kColumns>(memory.chunk, features, rank, tile.column_start, tile.columns,
                                  first);
    sync_block();
    for (int column = 0; column < S::kWidth && first + column < rank; column += kPiece) {
      WarpRows<kPiece> sums;
      sums.zero();
      multiply<E, kStride<S::kWidth, E>>(sums, grad_scores, memory.chunk + column,
                                         {0, S::kColumns});
      sums.for_each([&](int row, int at, float& sum, int) {
        const int feature = first + column + at;
        if (row < tile.rows && feature < rank) {
          partial[(tile.row_start + row) * rank + feature] += sum;
        }
      });
    }
  }
}

}  // namespace dietmt::kernels
