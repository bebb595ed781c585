// Products of tiles in shared memory and in registers. A block of four warps owns 128 rows; warp w
// owns rows 32 w .. 32 w + 31 as two 16-row tiles, so that every fragment of the other side that a
// warp loads serves two products. Tiles of vectors lie in shared memory with rows of kWidth + 8
// elements, which spreads the rows that ldmatrix reads at once over all banks.
#pragma once

#include "kernels/attention.h"
#include "kernels/cuda/primitives.h"

namespace dietmt::kernels {

constexpr int kRowTiles = 2;  // of a warp
constexpr int kWarpRows = 16 * kRowTiles;
constexpr int kSlots = 2 * kRowTiles;  // rows of a thread
constexpr int kStep = 16;              // depth of one multiply_add

template <int kWidth>
constexpr int kStride = kWidth + 8;

/// The row of a thread within the block's rows.
DIETMT_DEVICE int own_row(int slot) {
  return warp_index() * kWarpRows + lane_index() / 4 + 8 * slot;
}

/// A warp's 32 rows of kColumns fp32 numbers; value[m][n][e] as in primitives.h, at row 16 m and
/// column 8 n.
template <int kColumns>
struct WarpRows {
  float value[kRowTiles][kColumns / 8][4];

  DIETMT_DEVICE void zero() {
    for_each([](int, int, float& number, int) { number = 0.0f; });
  }

  /// f(row, column, value, slot): the row counts within the block's rows; the slot tells a thread's
  /// rows apart.
  template <typename F>
  DIETMT_DEVICE void for_each(const F& f) {
    const int column = 2 * (lane_index() % 4);
    const int row = own_row(0);
    DIETMT_UNROLL
    for (int m = 0; m < kRowTiles; ++m) {
      DIETMT_UNROLL
      for (int n = 0; n < kColumns / 8; ++n) {
        DIETMT_UNROLL
        for (int e = 0; e < 4; ++e) {
          const int slot = 2 * m + e / 2;
          f(row + 8 * slot, column + 8 * n + e % 2, value[m][n][e], slot);
        }
      }
    }
  }
};

/// Copies rows first .. first + count - 1 of one head into a tile of kCount rows and fills it up
/// with zeros, to kWidth columns as well.
template <typename E, int kWidth, int kCount>
DIETMT_DEVICE void load_rows(E* tile, const HeadRows& rows, int64_t first, int count, int head,
                             int width) {
  constexpr int kPieces = kWidth / 8;
  const E* start = static_cast<const E*>(rows.data) + int64_t{recomputed(head)} * width;
  for (int index = recomputed(thread_index()); index < kCount * kPieces; index += kThreads) {
    const int row = index / kPieces;
    const int column = index % kPieces * 8;
    const bool valid = row < count && column < width;
    const E* from = valid ? start + (first + row) * rows.token_stride + column : start;
    copy_async(tile + row * kStride<kWidth> + column, from, valid);
  }
}

/// Stores factor * sums to rows first .. first + count - 1 of one head, from column `column` on.
template <typename E, int kWidth>
DIETMT_DEVICE void store_rows(const WarpRows<kWidth>& sums, const float (&factor)[kSlots],
                              const HeadRows& rows, int64_t first, int count, int head, int width,
                              int column = 0) {
  const int thread = recomputed(thread_index());
  E* start = static_cast<E*>(rows.data) + int64_t{head} * width + column + 2 * (thread % 4);
  DIETMT_UNROLL
  for (int slot = 0; slot < kSlots; ++slot) {
    const int row = thread / kWarpThreads * kWarpRows + thread % kWarpThreads / 4 + 8 * slot;
    if (row >= count) continue;
    E* to = start + (first + row) * rows.token_stride;
    const float(&values)[kWidth / 8][4] = sums.value[slot / 2];
    DIETMT_UNROLL
    for (int n = 0; n < kWidth / 8; ++n) {
      if (column + 8 * n >= width) continue;
      *reinterpret_cast<uint32_t*>(to + 8 * n) = pack<E>(
          values[n][slot % 2 * 2] * factor[slot], values[n][slot % 2 * 2 + 1] * factor[slot]);
    }
  }
}

/// What a lane adds to the address of a 16 x 16 piece of a tile: rows 0 .. 15 for the matrices of
/// its left half, then of its right half.
template <int kTileStride>
DIETMT_DEVICE int rows_place() {
  const auto lane = static_cast<unsigned>(recomputed(lane_index()));
  return static_cast<int>(lane % 16 * kTileStride + lane / 16 * 8);
}

/// The same for the matrices of its upper half, then of its lower half.
template <int kTileStride>
DIETMT_DEVICE int columns_place() {
  const auto lane = static_cast<unsigned>(recomputed(lane_index()));
  return static_cast<int>((lane % 8 + lane / 16 * 8) * kTileStride + lane / 8 % 2 * 8);
}

/// Fragment a: the 16 rows from `row` and the 16 columns from `column` of a tile.
template <typename E, int kTileStride>
DIETMT_DEVICE void load_left(uint32_t (&a)[4], const E* tile, int row, int column) {
  load_matrices(a, tile + rows_place<kTileStride>() + row * kTileStride + column);
}

/// The same of a tile that is stored transposed: rows of the fragment are columns of the tile.
template <typename E, int kTileStride>
DIETMT_DEVICE void load_left_transposed(uint32_t (&a)[4], const E* tile, int row, int column) {
  load_matrices_transposed(a, tile + columns_place<kTileStride>() + column * kTileStride + row);
}

/// Fragments b of two neighbouring products: columns are the 16 rows from `row` of a tile, depth is
/// along its columns.
template <typename E, int kTileStride>
DIETMT_DEVICE void load_right_transposed(uint32_t (&b)[4], const E* tile, int row, int column) {
  load_matrices(b, tile + columns_place<kTileStride>() + row * kTileStride + column);
}

/// Fragments b of two neighbouring products: depth along the 16 rows from `row` of a tile, columns
/// are its 16 columns from `column`.
template <typename E, int kTileStride>
DIETMT_DEVICE void load_right(uint32_t (&b)[4], const E* tile, int row, int column) {
  load_matrices_transposed(b, tile + rows_place<kTileStride>() + row * kTileStride + column);
}

/// sums += rows other^T for the warp's rows and the columns below `columns`, in steps of 16; both
/// tiles are kWidth wide.
template <typename E, int kWidth, int kColumns>
DIETMT_DEVICE void multiply_transposed(WarpRows<kColumns>& sums, const E* rows, const E* other,
                                       int columns) {
  constexpr int kTileStride = kStride<kWidth>;
  const E* left = rows + warp_index() * kWarpRows * kTileStride + rows_place<kTileStride>();
  const E* right = other + columns_place<kTileStride>();
  DIETMT_UNROLL
  for (int k = 0; k < kWidth; k += kStep) {
    uint32_t a[kRowTiles][4];
    DIETMT_UNROLL
    for (int m = 0; m < kRowTiles; ++m) load_matrices(a[m], left + 16 * m * kTileStride + k);
    DIETMT_UNROLL
    for (int n = 0; n < kColumns; n += 16) {
      if (n >= columns) continue;
      uint32_t b[4];
      load_matrices(b, right + n * kTileStride + k);
      DIETMT_UNROLL
      for (int m = 0; m < kRowTiles; ++m) {
        multiply_add<E>(sums.value[m][n / 8], a[m], b);
        multiply_add<E>(sums.value[m][n / 8 + 1], a[m], b + 2);
      }
    }
  }
}

/// sums += scores tile, with the scores rounded to E; scores from `columns` on are zero.
template <typename E, int kTileStride, int kWidth, int kColumns>
DIETMT_DEVICE void multiply(WarpRows<kWidth>& sums, const WarpRows<kColumns>& scores, const E* tile,
                            int columns) {
  const E* right = tile + rows_place<kTileStride>();
  DIETMT_UNROLL
  for (int k = 0; k < kColumns; k += kStep) {
    if (k >= columns) continue;
    uint32_t a[kRowTiles][4];
    DIETMT_UNROLL
    for (int m = 0; m < kRowTiles; ++m) {
      DIETMT_UNROLL
      for (int e = 0; e < 4; ++e) {
        const float(&from)[4] = scores.value[m][k / 8 + e / 2];
        a[m][e] = pack<E>(from[e % 2 * 2], from[e % 2 * 2 + 1]);
      }
    }
    DIETMT_UNROLL
    for (int n = 0; n < kWidth; n += 16) {
      uint32_t b[4];
      load_matrices_transposed(b, right + k * kTileStride + n);
      DIETMT_UNROLL
      for (int m = 0; m < kRowTiles; ++m) {
        multiply_add<E>(sums.value[m][n / 8], a[m], b);
        multiply_add<E>(sums.value[m][n / 8 + 1], a[m], b + 2);
      }
    }
  }
}

}  // namespace dietmt::kernels
