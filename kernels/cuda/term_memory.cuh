// Compile-time parameters of a kernel, and the shared memory of its score terms.
#pragma once

#include "kernels/cuda/tile.cuh"

namespace dietmt::kernels {

/// Element type, head width (padded), terms, and the tile of scores. `kGradients`: the tables of
/// these rows get gradients.
template <typename ElementType_, int kHeadWidth, TermClass kTermClass, bool kRowsAreQueries,
          int kTileColumns, bool kHasGradients>
struct Shape {
  using E = ElementType_;
  static constexpr int kWidth = kHeadWidth;
  static constexpr TermClass kTerms = kTermClass;
  static constexpr bool kQueryRows = kRowsAreQueries;
  static constexpr int kColumns = kTileColumns;
  static constexpr bool kGradients = kHasGradients;
  using TileOf = Tile<kQueryRows, kColumns>;
  using Scores = WarpRows<kColumns>;
  static constexpr int kOffsets = TileOf::kOffsets;

  // offset_bias.cuh
  static constexpr int kDiagonals = kColumns / 8 + kSlots - 1;  // of 8 x 8 squares, of a warp
  static constexpr int kDiagonalStride = 8 * kDiagonals;        // 8 modulo 16: no bank conflicts
  static constexpr int kWarpOffsets = kColumns + kWarpRows;
  static_assert(kDiagonalStride % 16 == 8);

  // pair_bias.cuh: fp32 numbers of pairs as they lie in memory, a row for each query
  static constexpr int kPairQueries = kQueryRows ? kRows : kColumns;
  static constexpr int kPairKeys = kQueryRows ? kColumns : kRows;
  static constexpr int kPairStride = kPairKeys + (kQueryRows ? 8 : 4);

  // offset_band.cuh
  static constexpr int kChunkRows = kOffsets + 1;
  static constexpr int kWindow = kColumns + 16;  // offsets of 16 rows, and one more
  static constexpr int kProductStride = 20;
  static constexpr int kColumnProductStride = kColumns + (kQueryRows ? 3 : 5);
  static constexpr int kBandStride = 24;
};

template <typename S>
struct TermMemory {
  using E = typename S::E;
  ColumnRange* sentence_columns = nullptr;  // [kRows]: store_sentence_columns()
  float* offset_bias = nullptr;      // [2, kOffsets]: by offset, from the lowest of the tile on
  float* diagonals = nullptr;        // [kWarps, 8, kDiagonalStride]
  float* diagonal_sums = nullptr;    // [kWarps, kWarpOffsets]
  float* clipped_sums = nullptr;     // [2, kThreads]: of offset_bias's first and last entry
  float* pairs = nullptr;            // [kPairQueries, kPairStride]
  int* row_segments = nullptr;       // [kRows]
  int* column_segments = nullptr;    // [kColumns]
  float* segment_sums = nullptr;     // [kRows]
  E* chunk = nullptr;                // [kChunkRows, kStride]: entries of a table, or features
  float* products = nullptr;         // [kWarps, kWindow, kProductStride]
  float* column_products = nullptr;  // [kChunkRows, kColumnProductStride], in the same memory
  E* ends = nullptr;                 // [kStep, kStride]: table_ends.cuh
  float* row_ends = nullptr;         // [2, kRows]: products of the rows with the ends of a table
  float* column_ends = nullptr;      // [2, kColumns]: products of the columns
  float* value_ends = nullptr;  // gradients: [2, kRows] or [2, kColumns], whichever are queries
  float* row_sums = nullptr;    // [tables, 2, kRows]: of scores that all have an end
  E* band = nullptr;            // [bands, kWindow, kBandStride], of 16 rows each
  float* end_sums = nullptr;    // [2 tables, kWarps, 2, kWidth]: first and last entries
};

/// Bands of all rows where the gradient of a table reads them, else one for each warp.
template <typename S>
DIETMT_HOST_DEVICE constexpr int band_size() {
  return kWarps * (S::kGradients ? kRowTiles : 1) * S::kWindow * S::kBandStride;
}

template <typename S>
DIETMT_HOST_DEVICE TermMemory<S> take_term_memory(SharedMemory& memory,
                                                  const AttentionTables& tables) {
  using E = typename S::E;
  TermMemory<S> result;
  result.sentence_columns = memory.take<ColumnRange>(kRows);
  if constexpr (has_offset_bias(S::kTerms)) {
    result.offset_bias = memory.take<float>(2 * S::kOffsets);
    if constexpr (S::kGradients && S::kQueryRows) {
      result.diagonals = memory.take<float>(kWarps * 8 * S::kDiagonalStride);
      result.diagonal_sums = memory.take<float>(kWarps * S::kWarpOffsets);
      result.clipped_sums = memory.take<float>(2 * kThreads);
    }
  }
  if constexpr (has_pairs(S::kTerms)) {
    if (tables.position_bias.data != nullptr) {
      result.pairs = memory.take<float>(S::kPairQueries * S::kPairStride);
    }
    result.row_segments = memory.take<int>(kRows);
    result.column_segments = memory.take<int>(S::kColumns);
    result.segment_sums = memory.take<float>(kRows);
  }
  if constexpr (has_vectors(S::kTerms)) {
    const bool relative = tables.relative_keys.data != nullptr ||
                          tables.relative_queries.data != nullptr ||
                          tables.relative_values.data != nullptr;
    if (relative || tables.query_features.data != nullptr) {
      result.chunk = memory.take<E>(S::kChunkRows * kStride<S::kWidth, E>);
    }
    if (relative) {
      // The block is synchronised between products of rows and of columns, when a chunk arrives.
      constexpr int kOfRows = kWarps * S::kWindow * S::kProductStride;
      constexpr int kOfColumns = S::kChunkRows * S::kColumnProductStride;
      result.products = memory.take<float>(kOfRows > kOfColumns ? kOfRows : kOfColumns);
      result.column_products = result.products;
      result.ends = memory.take<E>(kStep * kStride<S::kWidth, E>);
      result.row_ends = memory.take<float>(2 * kRows);
      result.column_ends = memory.take<float>(2 * S::kColumns);
      if constexpr (S::kGradients) {
        result.value_ends = memory.take<float>(2 * (S::kQueryRows ? kRows : S::kColumns));
      }
      result.row_sums = memory.take<float>((S::kGradients ? 2 : 1) * 2 * kRows);
      result.band = memory.take<E>(band_size<S>());
      if constexpr (S::kGradients) {
        result.end_sums = memory.take<float>(2 * kWarps * 2 * S::kWidth);
      }
    }
  }
  return result;
}

/// Memory whose zeros a kernel never overwrites, and sums that it adds to.
template <typename S>
DIETMT_DEVICE void clear_term_memory(const TermMemory<S>& memory) {
  const int thread = thread_index();
  if constexpr (has_offset_bias(S::kTerms) && S::kGradients && S::kQueryRows) {
    memory.clipped_sums[thread] = 0.0f;
    memory.clipped_sums[kThreads + thread] = 0.0f;
  }
  if constexpr (has_vectors(S::kTerms)) {
    if (memory.band == nullptr) return;
    constexpr int kWords = band_size<S>() * static_cast<int>(sizeof(typename S::E)) / 4;
    for (int i = thread; i < kWords; i += kThreads) {
      reinterpret_cast<uint32_t*>(memory.band)[i] = 0;
    }
    if constexpr (S::kGradients) {
      for (int i = thread; i < 2 * kWarps * 2 * S::kWidth; i += kThreads) memory.end_sums[i] = 0.0f;
    }
  }
}

}  // namespace dietmt::kernels
