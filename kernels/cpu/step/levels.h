// The kernels of a decoding step of each instruction set, for tests and for what chooses among
// them.
#pragma once

#include "kernels/cpu/instruction_sets.h"
#include "kernels/step_attention.h"

namespace dietmt::kernels {

struct StepKernels {
  const InstructionSet* set;
  int64_t (*attention_workspace)(const StepAttention& call);
  void (*attention)(CacheType cache, std::span<const StepAttention> calls, float* workspace);
  void (*cache_row)(CacheType type, int64_t heads, int64_t head_width, const float* from,
                    void* row);
  void (*cache_column)(CacheType type, int64_t keys, const float* from, int64_t stride,
                       void* column);
};

std::span<const StepKernels> step_levels();

}  // namespace dietmt::kernels
