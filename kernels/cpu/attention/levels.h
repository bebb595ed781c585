// The attention kernels of each instruction set, for tests and for what chooses among them.
#pragma once

#include "kernels/attention.h"
#include "kernels/cpu/instruction_sets.h"

namespace dietmt::kernels {

struct AttentionKernels {
  const InstructionSet* set;
  void (*forward)(const AttentionForward& call);
  void (*backward)(const AttentionBackward& call);
};

std::span<const AttentionKernels> attention_levels();

}  // namespace dietmt::kernels
