// Rotary positions, of the CPU (kernels/cpu/rowwise) and of devices (kernels/device_kernels.h).
#pragma once

#include <cstdint>

#include "kernels/attention.h"

namespace dietmt::kernels {

/// Pairs (a, b) of each head become (a c - b s, b c + a s) with the table row of the token's
/// position (Su et al. 2021); `back` turns the other way, which is the gradient. Computed in fp32.
struct Rotate {
  ElementType type = ElementType::kFloat;
  int64_t rows = 0;
  int64_t heads = 0;
  int64_t head_width = 0;
  const void* x = nullptr;  // [rows, heads, head_width], row r at r * row_stride
  int64_t row_stride = 0;
  const float* table = nullptr;        // [T, 2, table_heads, head_width / 2]: cosines, then sines
  int64_t table_heads = 1;             // 1: shared
  const int64_t* positions = nullptr;  // [rows]; null: row 0 for all
  uint64_t halved_heads = 0;           // bit h: the pairs of head h are m and m + head_width / 2,
                                       // else 2 m and 2 m + 1
  bool back = false;
  void* output = nullptr;  // [rows, heads, head_width]
};

}  // namespace dietmt::kernels
