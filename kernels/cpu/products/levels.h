// The kernels of bf16_layouts.h of each instruction set, for tests and for what chooses among them.
#pragma once

#include "kernels/bf16_layouts.h"
#include "kernels/cpu/instruction_sets.h"

namespace dietmt::kernels {

struct LayoutKernels {
  const InstructionSet* set;
  void (*pair_rows)(const BFloat16* from, int64_t from_stride, int64_t rows, int64_t columns,
                    uint32_t* to, int64_t to_stride);
  void (*transpose_pairs)(const uint32_t* from, int64_t from_stride, int64_t rows, int64_t columns,
                          uint32_t* to, int64_t to_stride);
  void (*narrow_tile)(const NarrowTile& tile);
  void (*column_sums)(const BFloat16* x, int64_t rows, int64_t columns, float* sums);
};

std::span<const LayoutKernels> layout_levels();

}  // namespace dietmt::kernels
