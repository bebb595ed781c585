// Around bf16 matrix products on the CPU (encoders/ops/bf16_products.h): the layouts that
// LibTorch's micro-kernels multiply, and the epilogue of a product while it is in the cache. One
// thread each. Strides count elements, or pairs: two bf16 of neighbouring rows in 32 bits, the
// upper row in the lower half.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/bfloat16.h"

namespace dietmt::kernels {

/// to = rounded(from + bias + addend); `relu` keeps positive elements, `passes` those where the
/// output of a ReLU is positive.
struct Bf16Tile {
  int64_t rows = 0;
  int64_t columns = 0;
  const float* from = nullptr;  // [rows, columns]
  int64_t from_stride = 0;
  const BFloat16* bias = nullptr;    // [columns]; null: none
  const BFloat16* addend = nullptr;  // [rows, columns], as `to`; may be `to`; null: none
  const BFloat16* passes = nullptr;  // [rows, columns], as `to`; null: all
  bool relu = false;
  BFloat16* to = nullptr;  // [rows, columns]
  int64_t to_stride = 0;   // of addend and passes too
};

/// The kernels of one instruction set.
struct LayoutKernels {
  const char* instruction_set;
  /// to[r / 2, c] = (from[r, c], from[r + 1, c]); a missing last row counts as zeros.
  void (*pair_rows)(const BFloat16* from, int64_t from_stride, int64_t rows, int64_t columns,
                    uint32_t* to, int64_t to_stride);
  /// to[c, r] = from[r, c], pairs. Reads and writes whole vectors: up to 15 pairs past the last
  /// column of a row of `from`, and past the last row in `to`, where zeros come.
  void (*transpose_pairs)(const uint32_t* from, int64_t from_stride, int64_t rows, int64_t columns,
                          uint32_t* to, int64_t to_stride);
  void (*bf16_tile)(const Bf16Tile& tile);
  /// sums[c] = sum over r of x[r, c], in fp32, over blocks of rows in a fixed order.
  void (*column_sums)(const BFloat16* x, int64_t rows, int64_t columns, float* sums);
};

/// One table for each instruction set that makes a difference, in the order of
/// instruction_sets() (kernels/cpu/instruction_sets.h).
std::span<const LayoutKernels* const> layout_tables();

/// The best table that runs on this processor, chosen once.
const LayoutKernels& layout_kernels();

}  // namespace dietmt::kernels
