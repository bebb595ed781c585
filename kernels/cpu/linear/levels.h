// The kernels of packed layers and of the vocabulary of each instruction set, for tests and for
// what chooses among them.
#pragma once

#include "kernels/cpu/instruction_sets.h"
#include "kernels/packed_linear.h"

namespace dietmt::kernels {

struct LinearKernels {
  const InstructionSet* set;
  PreparedRows (*prepare_rows)(WeightType type, int64_t rows, int64_t inputs, const float* values,
                               int64_t stride, void* storage, float multiplier);
  void (*linear)(const LinearCall& call);
  void (*select_tokens)(const TokenSelection& call);
};

std::span<const LinearKernels> linear_levels();

}  // namespace dietmt::kernels
