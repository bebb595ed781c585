// Products of tiles in shared memory and in registers. A block of four warps owns 128 rows; warp w
// owns rows 32 w .. 32 w + 31 as two 16-row tiles, so that every fragment of the other side that a
// warp loads serves two products. Rows of tiles in shared memory are 16 bytes longer than the
// vectors, which spreads the rows that ldmatrix reads at once over all banks.
//
// fp32 numbers are multiplied on tensor cores as sums of two TF32 numbers (Ootomo and Yokota 2022,
// "Recovering single precision accuracy from Tensor Cores while surpassing the FP32 theoretical
// peak performance"): x y = high high + high low + low high, to about 2^-21 of the product. So fp32
// attention is as exact as the fp32 products of linear layers, where LibTorch allows no TF32.
#pragma once

#include "kernels/attention.h"
#include "kernels/cuda/primitives.h"

namespace dietmt::kernels {

constexpr int kRowTiles = 2;  // of a warp
constexpr int kWarpRows = 16 * kRowTiles;
constexpr int kSlots = 2 * kRowTiles;  // rows of a thread
constexpr int kStep = 16;              // depth of one multiply_add

template <int kWidth, typename E = BFloat16>
constexpr int kStride = kWidth + kVector<E>;

/// A thread's registers of a fragment of 16 x 16 elements: left a[4 j + i], or right of two
/// neighbouring products b[4 j + 2 product + i]. A product in 16 bits is 16 deep, one in TF32
/// eight, so that j is 0 or 1. In fragments "in pairs" element t of an fp32 product's depth is
/// element 2 t of the tile and t + 4 is 2 t + 1, as scores lie in registers.
template <typename E>
using Fragment = uint32_t[sizeof(E) == 4 ? 8 : 4];

/// Columns from .. to - 1.
struct ColumnRange {
  int from = 0;
  int to = 0;

  DIETMT_DEVICE bool empty() const { return from >= to; }
  /// Whether a step of 16 columns from `column` on has some of them.
  DIETMT_DEVICE bool meets_step(int column) const { return column + 16 > from && column < to; }
};

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
  constexpr int kPieces = kWidth / kVector<E>;
  const E* start = static_cast<const E*>(rows.data) + int64_t{recomputed(head)} * width;
  for (int index = recomputed(thread_index()); index < kCount * kPieces; index += kThreads) {
    const int row = index / kPieces;
    const int column = index % kPieces * kVector<E>;
    const bool valid = row < count && column < width;
    const E* from = valid ? start + (first + row) * rows.token_stride + column : start;
    copy_async(tile + row * kStride<kWidth, E> + column, from, valid);
  }
}

/// Stores factor * numbers of the upper (half 0) or the lower rows of 16, from `to` on; `left`
/// columns exist.
template <typename E, int kSquares>
DIETMT_DEVICE void store_row(E* to, const float (&numbers)[kSquares][4], int half, float factor,
                             int left) {
  DIETMT_UNROLL
  for (int n = 0; n < kSquares; ++n) {
    if (8 * n >= left) continue;
    store_pair<E>(to + 8 * n, numbers[n][2 * half] * factor, numbers[n][2 * half + 1] * factor);
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
    store_row<E>(start + (first + row) * rows.token_stride, sums.value[slot / 2], slot % 2,
                 factor[slot], width - column);
  }
}

/// A lane's offset from the address of a 16 x 16 piece of a tile: rows 0 .. 15 for the matrices of
/// its left half, then of its right half. In fp32 the piece has two such pairs, 8 columns apart.
template <typename E, int kTileStride>
DIETMT_DEVICE int rows_place() {
  const auto lane = static_cast<unsigned>(recomputed(lane_index()));
  return static_cast<int>(lane % 16 * kTileStride + lane / 16 * kVector<E>);
}

/// Loads the matrices of the upper half, then of the lower half.
template <typename E, int kTileStride>
DIETMT_DEVICE int columns_place() {
  const auto lane = static_cast<unsigned>(recomputed(lane_index()));
  return static_cast<int>((lane % 8 + lane / 16 * 8) * kTileStride + lane / 8 % 2 * kVector<E>);
}

/// Loads fp32 fragments in pairs whose depth is along the rows of a tile.
template <int kTileStride>
DIETMT_DEVICE int pairs_place() {
  const auto lane = static_cast<unsigned>(recomputed(lane_index()));
  return static_cast<int>(lane % 4 * 2 * kTileStride + lane / 4);
}

/// The matrices at a lane's address.
template <typename E>
DIETMT_DEVICE void load_fragment(Fragment<E>& r, const E* from) {
  if constexpr (kIsFloat<E>) {
    DIETMT_UNROLL
    for (int j = 0; j < 2; ++j) {
      uint32_t half[4];
      load_matrices(half, from + 8 * j);
      DIETMT_UNROLL
      for (int i = 0; i < 4; ++i) r[4 * j + i] = half[i];
    }
  } else {
    load_matrices(r, from);
  }
}

/// Fragment a: the 16 rows from `row` and the 16 columns from `column` of a tile.
template <typename E, int kTileStride>
DIETMT_DEVICE void load_left(Fragment<E>& a, const E* tile, int row, int column) {
  load_fragment<E>(a, tile + rows_place<E, kTileStride>() + row * kTileStride + column);
}

/// Loads pairs, for products with load_right.
template <typename E, int kTileStride>
DIETMT_DEVICE void load_left_in_pairs(Fragment<E>& a, const E* tile, int row, int column) {
  if constexpr (kIsFloat<E>) {
    const int lane = recomputed(lane_index());
    const E* from = tile + (row + lane / 4) * kTileStride + column + lane % 4 * 2;
    DIETMT_UNROLL
    for (int e = 0; e < 8; ++e) {
      a[e] = bits_of(from[e % 2 * 8 * kTileStride + e / 4 * 8 + e / 2 % 2]);
    }
  } else {
    load_left<E, kTileStride>(a, tile, row, column);
  }
}

/// Fragment a in pairs of a tile that is stored transposed: its rows are columns of the tile.
template <typename E, int kTileStride>
DIETMT_DEVICE void load_left_transposed(Fragment<E>& a, const E* tile, int row, int column) {
  if constexpr (kIsFloat<E>) {
    const E* from = tile + pairs_place<kTileStride>() + column * kTileStride + row;
    DIETMT_UNROLL
    for (int e = 0; e < 8; ++e) {
      a[e] = bits_of(from[(e / 4 * 8 + e / 2 % 2) * kTileStride + e % 2 * 8]);
    }
  } else {
    const E* from = tile + columns_place<E, kTileStride>();
    load_matrices_transposed(a, from + column * kTileStride + row);
  }
}

/// Fragments b of two neighbouring products: columns are the 16 rows from `row` of a tile, depth is
/// along its columns.
template <typename E, int kTileStride>
DIETMT_DEVICE void load_right_transposed(Fragment<E>& b, const E* tile, int row, int column) {
  load_fragment<E>(b, tile + columns_place<E, kTileStride>() + row * kTileStride + column);
}

/// A lane's offset from the address of fragments of load_right.
template <typename E, int kTileStride>
DIETMT_DEVICE int right_place() {
  return kIsFloat<E> ? pairs_place<kTileStride>() : rows_place<E, kTileStride>();
}

/// load_right at a lane's address.
template <typename E, int kTileStride>
DIETMT_DEVICE void load_right_at(Fragment<E>& b, const E* from) {
  if constexpr (kIsFloat<E>) {
    DIETMT_UNROLL
    for (int e = 0; e < 8; ++e) {
      b[e] = bits_of(from[(e / 4 * 8 + e % 2) * kTileStride + e / 2 % 2 * 8]);
    }
  } else {
    load_matrices_transposed(b, from);
  }
}

/// Fragments b of two neighbouring products, in pairs: depth along the 16 rows from `row` of a
/// tile, columns are its 16 columns from `column`.
template <typename E, int kTileStride>
DIETMT_DEVICE void load_right(Fragment<E>& b, const E* tile, int row, int column) {
  load_right_at<E, kTileStride>(b,
                                tile + right_place<E, kTileStride>() + row * kTileStride + column);
}

/// Fragment a in pairs of 16 columns of scores.
template <typename E, int kSquares>
DIETMT_DEVICE void take_scores(Fragment<E>& a, const float (&scores)[kSquares][4], int square) {
  if constexpr (kIsFloat<E>) {
    DIETMT_UNROLL
    for (int e = 0; e < 8; ++e) a[e] = bits_of(scores[square + e / 4][e % 2 * 2 + e / 2 % 2]);
  } else {
    DIETMT_UNROLL
    for (int e = 0; e < 4; ++e) {
      const float(&from)[4] = scores[square + e / 2];
      a[e] = pack<E>(from[e % 2 * 2], from[e % 2 * 2 + 1]);
    }
  }
}

/// The TF32 numbers that an fp32 number is the sum of.
template <int kCount>
struct Tf32Parts {
  uint32_t high[kCount];
  uint32_t low[kCount];

  DIETMT_DEVICE explicit Tf32Parts(const uint32_t* numbers) {
    DIETMT_UNROLL
    for (int i = 0; i < kCount; ++i) {
      high[i] = round_to_tf32(float_of(numbers[i]));
      low[i] = round_to_tf32(float_of(numbers[i]) - float_of(high[i]));
    }
  }
};

/// left += a b and right += a b' of two neighbouring products.
template <typename E>
DIETMT_DEVICE void multiply_both(float (&left)[4], float (&right)[4], const Fragment<E>& a,
                                 const Fragment<E>& b) {
  if constexpr (kIsFloat<E>) {
    DIETMT_UNROLL
    for (int j = 0; j < 2; ++j) {
      const Tf32Parts<4> of_a(a + 4 * j);
      DIETMT_UNROLL
      for (int product = 0; product < 2; ++product) {
        float(&sums)[4] = product == 0 ? left : right;
        const Tf32Parts<2> of_b(b + 4 * j + 2 * product);
        multiply_add_tf32(sums, of_a.low, of_b.high);
        multiply_add_tf32(sums, of_a.high, of_b.low);
        multiply_add_tf32(sums, of_a.high, of_b.high);
      }
    }
  } else {
    multiply_add<E>(left, a, b);
    multiply_add<E>(right, a, b + 2);
  }
}

/// sums += rows other^T for the warp's rows and these columns, in steps of 16; both tiles are
/// kWidth wide.
template <typename E, int kWidth, int kColumns>
DIETMT_DEVICE void multiply_transposed(WarpRows<kColumns>& sums, const E* rows, const E* other,
                                       const ColumnRange& columns) {
  constexpr int kTileStride = kStride<kWidth, E>;
  const E* left = rows + warp_index() * kWarpRows * kTileStride + rows_place<E, kTileStride>();
  const E* right = other + columns_place<E, kTileStride>();
  DIETMT_UNROLL
  for (int k = 0; k < kWidth; k += kStep) {
    Fragment<E> a[kRowTiles];
    DIETMT_UNROLL
    for (int m = 0; m < kRowTiles; ++m) load_fragment<E>(a[m], left + 16 * m * kTileStride + k);
    DIETMT_UNROLL
    for (int n = 0; n < kColumns; n += 16) {
      if (!columns.meets_step(n)) continue;
      Fragment<E> b;
      load_fragment<E>(b, right + n * kTileStride + k);
      DIETMT_UNROLL
      for (int m = 0; m < kRowTiles; ++m) {
        multiply_both<E>(sums.value[m][n / 8], sums.value[m][n / 8 + 1], a[m], b);
      }
    }
  }
}

/// sums += scores tile, with the scores rounded to E; the scores of other columns are zero.
template <typename E, int kTileStride, int kWidth, int kColumns>
DIETMT_DEVICE void multiply(WarpRows<kWidth>& sums, const WarpRows<kColumns>& scores, const E* tile,
                            const ColumnRange& columns) {
  const E* right = tile + right_place<E, kTileStride>();
  DIETMT_UNROLL
  for (int k = 0; k < kColumns; k += kStep) {
    if (!columns.meets_step(k)) continue;
    Fragment<E> a[kRowTiles];
    DIETMT_UNROLL
    for (int m = 0; m < kRowTiles; ++m) take_scores<E>(a[m], scores.value[m], k / 8);
    DIETMT_UNROLL
    for (int n = 0; n < kWidth; n += 16) {
      Fragment<E> b;
      load_right_at<E, kTileStride>(b, right + k * kTileStride + n);
      DIETMT_UNROLL
      for (int m = 0; m < kRowTiles; ++m) {
        multiply_both<E>(sums.value[m][n / 8], sums.value[m][n / 8 + 1], a[m], b);
      }
    }
  }
}

}  // namespace dietmt::kernels
