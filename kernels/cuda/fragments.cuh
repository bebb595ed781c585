// Products of tiles in shared memory and in registers. A block of four warps works on 64 x 64 tiles
// of scores; warp w owns rows 16 w .. 16 w + 15. Tiles of vectors lie in shared memory with rows of
// kWidth + 8 elements, which spreads the rows that ldmatrix reads at once over all banks.
#pragma once

#include "kernels/attention.h"
#include "kernels/cuda/primitives.h"

namespace dietmt::kernels {

constexpr int kWarpRows = 16;
constexpr int kStep = 16;  // depth of one multiply_add

template <int kWidth>
constexpr int kStride = kWidth + 8;

/// A warp's 16 rows of kColumns fp32 numbers; value[n][e] as in primitives.h, at column 8 n.
template <int kColumns>
struct WarpRows {
  float value[kColumns / 8][4];

  DIETMT_DEVICE void zero() {
    DIETMT_UNROLL
    for (int n = 0; n < kColumns / 8; ++n) {
      DIETMT_UNROLL
      for (int e = 0; e < 4; ++e) value[n][e] = 0.0f;
    }
  }

  /// f(row, column, value): the row counts within the block's tile; e / 2 tells a thread's two rows
  /// apart, as f's fourth argument.
  template <typename F>
  DIETMT_DEVICE void for_each(const F& f) {
    const int row = warp_index() * kWarpRows + lane_index() / 4;
    const int column = 2 * (lane_index() % 4);
    DIETMT_UNROLL
    for (int n = 0; n < kColumns / 8; ++n) {
      DIETMT_UNROLL
      for (int e = 0; e < 4; ++e) f(row + 8 * (e / 2), column + 8 * n + e % 2, value[n][e], e / 2);
    }
  }
};

using Scores = WarpRows<kTile>;

/// Copies rows first .. first + count - 1 of one head into a tile and fills it up with zeros.
template <typename E, int kWidth>
DIETMT_DEVICE void load_rows(E* tile, const HeadRows& rows, int64_t first, int count, int head) {
  constexpr int kPieces = kWidth / 8;
  const E* start = static_cast<const E*>(rows.data) + int64_t{head} * kWidth;
  for (int index = thread_index(); index < kTile * kPieces; index += kThreads) {
    const int row = index / kPieces;
    const int piece = index % kPieces;
    const bool valid = row < count;
    const E* from = valid ? start + (first + row) * rows.token_stride + piece * 8 : start;
    copy_async(tile + row * kStride<kWidth> + piece * 8, from, valid);
  }
}

/// Stores factor * sums to rows first .. first + count - 1 of one head.
template <typename E, int kWidth>
DIETMT_DEVICE void store_rows(const WarpRows<kWidth>& sums, const float (&factor)[2],
                              const HeadRows& rows, int64_t first, int count, int head) {
  E* start = static_cast<E*>(rows.data) + int64_t{head} * kWidth;
  DIETMT_UNROLL
  for (int half = 0; half < 2; ++half) {
    const int row = warp_index() * kWarpRows + lane_index() / 4 + 8 * half;
    if (row >= count) continue;
    E* to = start + (first + row) * rows.token_stride + 2 * (lane_index() % 4);
    DIETMT_UNROLL
    for (int n = 0; n < kWidth / 8; ++n) {
      *reinterpret_cast<uint32_t*>(to + 8 * n) = pack<E>(
          sums.value[n][2 * half] * factor[half], sums.value[n][2 * half + 1] * factor[half]);
    }
  }
}

/// Fragment a: the 16 rows from `row` and the 16 columns from `column` of a tile.
template <typename E, int kWidth>
DIETMT_DEVICE void load_left(uint32_t (&a)[4], const E* tile, int row, int column) {
  const int lane = lane_index();
  load_matrices(a, tile + (row + lane % 16) * kStride<kWidth> + column + lane / 16 * 8);
}

/// Fragments b of two neighbouring products: columns are the 16 rows from `row` of a tile, depth is
/// along its columns.
template <typename E, int kWidth>
DIETMT_DEVICE void load_right_transposed(uint32_t (&b)[4], const E* tile, int row, int column) {
  const int lane = lane_index();
  load_matrices(
      b, tile + (row + lane % 8 + lane / 16 * 8) * kStride<kWidth> + column + lane / 8 % 2 * 8);
}

/// Fragments b of two neighbouring products: depth along the 16 rows from `row` of a tile, columns
/// are its 16 columns from `column`.
template <typename E, int kWidth>
DIETMT_DEVICE void load_right(uint32_t (&b)[4], const E* tile, int row, int column) {
  const int lane = lane_index();
  load_matrices_transposed(b, tile + (row + lane % 16) * kStride<kWidth> + column + lane / 16 * 8);
}

/// sums += rows other^T for the warp's rows; both tiles are kWidth wide.
template <typename E, int kWidth>
DIETMT_DEVICE void multiply_transposed(Scores& sums, const E* rows, const E* other) {
  DIETMT_UNROLL
  for (int k = 0; k < kWidth; k += kStep) {
    uint32_t a[4];
    load_left<E, kWidth>(a, rows, warp_index() * kWarpRows, k);
    DIETMT_UNROLL
    for (int n = 0; n < kTile; n += 16) {
      uint32_t b[4];
      load_right_transposed<E, kWidth>(b, other, n, k);
      multiply_add<E>(sums.value[n / 8], a, b);
      multiply_add<E>(sums.value[n / 8 + 1], a, b + 2);
    }
  }
}

/// sums += a (16 x 16) times 16 rows of a tile, from `row` on.
template <typename E, int kWidth>
DIETMT_DEVICE void multiply_step(WarpRows<kWidth>& sums, const uint32_t (&a)[4], const E* tile,
                                 int row) {
  DIETMT_UNROLL
  for (int n = 0; n < kWidth; n += 16) {
    uint32_t b[4];
    load_right<E, kWidth>(b, tile, row, n);
    multiply_add<E>(sums.value[n / 8], a, b);
    multiply_add<E>(sums.value[n / 8 + 1], a, b + 2);
  }
}

/// sums += scores tile, with the scores rounded to E.
template <typename E, int kWidth>
DIETMT_DEVICE void multiply(WarpRows<kWidth>& sums, const Scores& scores, const E* tile) {
  DIETMT_UNROLL
  for (int k = 0; k < kTile; k += kStep) {
    const float(&left)[4] = scores.value[k / 8];
    const float(&right)[4] = scores.value[k / 8 + 1];
    const uint32_t a[4] = {pack<E>(left[0], left[1]), pack<E>(left[2], left[3]),
                           pack<E>(right[0], right[1]), pack<E>(right[2], right[3])};
    multiply_step<E, kWidth>(sums, a, tile, k);
  }
}

}  // namespace dietmt::kernels
