// Small matrix products for attention tiles: c[m,n] (+)= sum_k a[m,k] b[k,n], with any strides of
// a, rows of b (fp32 or bf16) and c contiguous and padded to whole vectors.
#pragma once

#include "kernels/cpu/vector.h"

namespace dietmt::kernels::DIETMT_ISA {

struct Matrix {
  const float* data;
  int64_t row_stride;
  int64_t column_stride = 1;
};

/// kRows rows of kVectors vectors, held in registers over the whole depth.
template <int kRows, int kVectors, typename Number>
inline void product_block(int64_t depth, const Matrix& a, const Number* b, int64_t b_stride,
                          float* c, int64_t c_stride, bool accumulate) {
  Vector sums[kRows][kVectors];
#pragma GCC unroll 8
  for (int m = 0; m < kRows; ++m)
#pragma GCC unroll 8
    for (int n = 0; n < kVectors; ++n)
      sums[m][n] = accumulate ? load(c + m * c_stride + n * kLanes) : Vector{};
  const float* column = a.data;
  for (int64_t k = 0; k < depth; ++k) {
    Vector row[kVectors];
#pragma GCC unroll 8
    for (int n = 0; n < kVectors; ++n) row[n] = load(b + n * kLanes);
#pragma GCC unroll 8
    for (int m = 0; m < kRows; ++m) {
      const Vector factor = broadcast(column[m * a.row_stride]);
#pragma GCC unroll 8
      for (int n = 0; n < kVectors; ++n) sums[m][n] += factor * row[n];
    }
    b += b_stride;
    column += a.column_stride;
  }
#pragma GCC unroll 8
  for (int m = 0; m < kRows; ++m)
#pragma GCC unroll 8
    for (int n = 0; n < kVectors; ++n) store(c + m * c_stride + n * kLanes, sums[m][n]);
}

constexpr int64_t kBlockRows = 6;

template <int kVectors, typename Number>
inline void product_panel(int64_t rows, int64_t depth, Matrix a, const Number* b, int64_t b_stride,
                          float* c, int64_t c_stride, bool accumulate) {
  const auto next = [&](int64_t done) {
    rows -= done;
    a.data += done * a.row_stride;
    c += done * c_stride;
  };
  for (int64_t blocks = rows / kBlockRows; blocks > 0; --blocks) {
    product_block<kBlockRows, kVectors>(depth, a, b, b_stride, c, c_stride, accumulate);
    next(kBlockRows);
  }
  switch (rows) {
    case 5:
      return product_block<5, kVectors>(depth, a, b, b_stride, c, c_stride, accumulate);
    case 4:
      return product_block<4, kVectors>(depth, a, b, b_stride, c, c_stride, accumulate);
    case 3:
      return product_block<3, kVectors>(depth, a, b, b_stride, c, c_stride, accumulate);
    case 2:
      return product_block<2, kVectors>(depth, a, b, b_stride, c, c_stride, accumulate);
    case 1:
      return product_block<1, kVectors>(depth, a, b, b_stride, c, c_stride, accumulate);
    default:
      return;
  }
}

/// a: [rows, depth]; b: [depth, columns]; c: [rows, columns]; columns a multiple of kLanes.
template <typename Number>
inline void product(int64_t rows, int64_t columns, int64_t depth, const Matrix& a, const Number* b,
                    int64_t b_stride, float* c, int64_t c_stride, bool accumulate) {
  constexpr int64_t kPanel = kPanelVectors * kLanes;
  int64_t n = 0;
  for (; n + kPanel <= columns; n += kPanel)
    product_panel<kPanelVectors>(rows, depth, a, b + n, b_stride, c + n, c_stride, accumulate);
  switch ((columns - n) / kLanes) {
    case 3:
      product_panel<3>(rows, depth, a, b + n, b_stride, c + n, c_stride, accumulate);
      break;
    case 2:
      product_panel<2>(rows, depth, a, b + n, b_stride, c + n, c_stride, accumulate);
      break;
    case 1:
      product_panel<1>(rows, depth, a, b + n, b_stride, c + n, c_stride, accumulate);
      break;
    default:
      break;
  }
}

}  // namespace dietmt::kernels::DIETMT_ISA
