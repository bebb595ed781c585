// Products with tables over clipped offsets, [2C + 1, kWidth], for one tile of scores. The tile's
// offsets are consecutive; a chunk holds the table's entry for each, the same one beyond the clip.
// Two moves connect rows of products by offset with scores:
//   gather   score[r,c] += products[offset(r,c), r]        (q . relative_keys, forward)
//   scatter  band[offset(r,c), r] = score[r,c]             (its adjoint; zero elsewhere)
// Both lie in memory by offset first. The strides between offsets make the moves, the stores of
// products and ldmatrix free of bank conflicts (tests/kernels/cuda/bank_conflicts_test.cpp).
// Shaw et al. 2018 ("Self-Attention with Relative Position Representations").
#pragma once

#include "kernels/cuda/table_ends.cuh"

namespace dietmt::kernels {

/// The chunk's row of the lowest offset of the 16 rows from `row` on.
template <typename S>
DIETMT_DEVICE int first_offset(int row) {
  return S::kQueryRows ? kRows - 16 - row : row;
}

/// The offset of a score, counted from first_offset of its 16 rows; `row` counts from those.
template <typename S>
DIETMT_DEVICE int window_offset(int row, int column) {
  return S::kQueryRows ? 15 + column - row : S::kColumns - 1 + row - column;
}

/// Starts copying the entries of a tile's offsets.
template <typename S>
DIETMT_DEVICE void start_chunk(typename S::E* chunk, const ConvertedTable& table,
                               int64_t table_clip, const typename S::TileOf& tile, int head) {
  using E = typename S::E;
  constexpr int kPieces = S::kWidth / kVector<E>;
  const int clip = static_cast<int>(table_clip);
  const E* start = static_cast<const E*>(table.data) + head * table.head_stride;
  DIETMT_UNROLL_TWICE
  for (int index = recomputed(thread_index()); index < S::kChunkRows * kPieces; index += kThreads) {
    const int row = index / kPieces;
    const int column = index % kPieces * kVector<E>;
    const int entry = clip_to(tile.lowest_offset() + row, clip) + clip;
    // Most offsets have one of two entries, which all blocks would read from the same place of L2.
    copy_async_cached(chunk + row * kStride<S::kWidth, E> + column,
                      start + int64_t{entry} * S::kWidth + column);
  }
}

/// to[offset, row] = rows . chunk[offset] for 16 rows from `row` on and 16 offsets from `offset`
/// on.
template <typename S, int kToStride>
DIETMT_DEVICE void store_products(float* to, const typename S::E* rows, int row,
                                  const typename S::E* chunk, int offset) {
  float sums[2][4] = {};
  multiply_entries<S>(sums, rows, row, chunk, offset);
  float* start = to + 2 * (lane_index() % 4) * kToStride + lane_index() / 4;
  DIETMT_UNROLL
  for (int e = 0; e < 8; ++e) {
    start[(e / 4 * 8 + e % 2) * kToStride + e / 2 % 2 * 8] = sums[e / 4][e % 4];
  }
}

/// scores += rows . table[offset], where the table belongs to the rows of the scores; `ends` are
/// the rows' products with its ends.
template <typename S>
DIETMT_DEVICE void add_by_row(typename S::Scores& scores, const typename S::E* rows,
                              const float* ends, int64_t clip, const typename S::TileOf& tile,
                              const TermMemory<S>& memory) {
  float* products = memory.products + warp_index() * S::kWindow * S::kProductStride;
  DIETMT_UNROLL
  for (int m = 0; m < kRowTiles; ++m) {
    const int row = warp_index() * kWarpRows + 16 * m;
    const Entries entries = tile.entries(clip, row, 16);
    if (entries != Entries::kSeveral) {
      add_row_ends<S>(scores, m, ends + static_cast<int>(entries) * kRows);
      continue;
    }
    for (int offset = 0; offset < S::kWindow; offset += 16) {
      store_products<S, S::kProductStride>(products + offset * S::kProductStride, rows, row,
                                           memory.chunk, first_offset<S>(row) + offset);
    }
    sync_warp();
    DIETMT_UNROLL
    for (int n = 0; n < S::kColumns / 8; ++n) {
      DIETMT_UNROLL
      for (int e = 0; e < 4; ++e) {
        const int of_row = lane_index() / 4 + e / 2 * 8;
        const int column = 8 * n + 2 * (lane_index() % 4) + e % 2;
        scores.value[m][n][e] +=
            products[window_offset<S>(of_row, column) * S::kProductStride + of_row];
      }
    }
    sync_warp();
  }
}

/// Products of the columns with the entries up to the clip, which add_by_column reads once the
/// block is synchronised.
template <typename S>
DIETMT_DEVICE void fill_column_products(const typename S::E* columns, int64_t table_clip,
                                        const typename S::TileOf& tile,
                                        const TermMemory<S>& memory) {
  const int clip = static_cast<int>(table_clip);
  for (int offset = warp_index() * 16; offset < S::kChunkRows; offset += kWarps * 16) {
    const int lowest = tile.lowest_offset() + offset;
    if (lowest > clip || lowest + 15 < -clip) continue;
    for (int column = 0; column < S::kColumns; column += 16) {
      store_products<S, S::kColumnProductStride>(
          memory.column_products + offset * S::kColumnProductStride + column, columns, column,
          memory.chunk, offset);
    }
  }
}

/// scores += columns . table[offset], where the table belongs to the columns of the scores; `ends`
/// are the columns' products with its ends.
template <typename S>
DIETMT_DEVICE void add_by_column(typename S::Scores& scores, const float* ends, int64_t table_clip,
                                 const typename S::TileOf& tile, const TermMemory<S>& memory) {
  const int clip = static_cast<int>(table_clip);
  DIETMT_UNROLL
  for (int m = 0; m < kRowTiles; ++m) {
    const Entries entries = tile.entries(clip, warp_index() * kWarpRows + 16 * m, 16);
    if (entries != Entries::kSeveral) {
      add_column_ends<S>(scores, m, ends + static_cast<int>(entries) * S::kColumns);
      continue;
    }
    const int lowest = tile.lowest_offset();
    DIETMT_UNROLL
    for (int n = 0; n < S::kColumns / 8; ++n) {
      DIETMT_UNROLL
      for (int e = 0; e < 4; ++e) {
        const int column = 8 * n + 2 * (lane_index() % 4) + e % 2;
        const int offset = lowest + S::TileOf::offset_index(own_row(2 * m + e / 2), column);
        const int place = clip_to(offset, clip) - lowest;
        scores.value[m][n][e] += memory.column_products[place * S::kColumnProductStride + column];
      }
    }
  }
}

/// Where the band of the 16 rows from `row` on begins.
template <typename S>
DIETMT_DEVICE typename S::E* band_of(const TermMemory<S>& memory, int row) {
  const int band = S::kGradients ? row / 16 : row / kWarpRows;
  return memory.band + band * S::kWindow * S::kBandStride;
}

/// band[offset, row] = score, for the 16-row tile m of the warp.
template <typename S>
DIETMT_DEVICE void scatter(typename S::E* band, const typename S::Scores& scores, int m) {
  using E = typename S::E;
  DIETMT_UNROLL
  for (int n = 0; n < S::kColumns / 8; ++n) {
    DIETMT_UNROLL
    for (int half = 0; half < 2; ++half) {
      const float(&value)[4] = scores.value[m][n];
      const int row = lane_index() / 4 + 8 * half;
      const int column = 8 * n + 2 * (lane_index() % 4);
      store_both<E>(band + window_offset<S>(row, column) * S::kBandStride + row,
                    band + window_offset<S>(row, column + 1) * S::kBandStride + row,
                    value[2 * half], value[2 * half + 1]);
    }
  }
}

/// sums += band^T chunk for the 16-row tile m of the warp.
template <typename S, int kOut>
DIETMT_DEVICE void multiply_band(WarpRows<kOut>& sums, const typename S::E* band,
                                 const typename S::E* chunk, int m) {
  using E = typename S::E;
  const int first = first_offset<S>(warp_index() * kWarpRows + 16 * m);
  for (int k = 0; k < S::kWindow; k += kStep) {
    Fragment<E> a;
    load_left_transposed<E, S::kBandStride>(a, band, 0, k);
    DIETMT_UNROLL
    for (int n = 0; n < kOut; n += 16) {
      Fragment<E> b;
      load_right<E, kStride<S::kWidth, E>>(b, chunk, first + k, n);
      multiply_both<E>(sums.value[m][n / 8], sums.value[m][n / 8 + 1], a, b);
    }
  }
}

/// sums += sum_c scores[r,c] table[offset(r,c)], for the chunk of the table from `column` on and
/// the rows that meet several entries.
template <typename S, int kOut>
DIETMT_DEVICE void multiply_offsets(WarpRows<kOut>& sums, const typename S::Scores& scores,
                                    int64_t clip, const typename S::TileOf& tile,
                                    const TermMemory<S>& memory, int column = 0) {
  DIETMT_UNROLL
  for (int m = 0; m < kRowTiles; ++m) {
    const Entries entries = tile.entries(clip, warp_index() * kWarpRows + 16 * m, 16);
    if (entries != Entries::kSeveral) continue;
    typename S::E* band = band_of(memory, warp_index() * kWarpRows + 16 * m);
    sync_warp();
    scatter<S>(band, scores, m);
    sync_warp();
    multiply_band<S>(sums, band, memory.chunk + column, m);
  }
}

}  // namespace dietmt::kernels
