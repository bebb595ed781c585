#include <sys/auxv.h>

#include "kernels/cpu/instruction_sets.h"

namespace dietmt::kernels {

std::span<const InstructionSet> instruction_sets() {
  // Linux, Documentation/arch/arm64/elf_hwcaps.rst.
  constexpr unsigned long kDotProducts = 1UL << 20;                          // of AT_HWCAP
  constexpr unsigned long kInt8Matrices = 1UL << 13, kBFloat16 = 1UL << 14;  // of AT_HWCAP2
  constexpr unsigned long kMatrices = kInt8Matrices | kBFloat16;
  static const bool has_dot = (getauxval(AT_HWCAP) & kDotProducts) != 0;
  static const bool has_matrices = has_dot && (getauxval(AT_HWCAP2) & kMatrices) == kMatrices;
  static const InstructionSet sets[] = {
      {"generic", true},
      {"neon_dot", has_dot},
      {"neon_i8mm", has_matrices},
  };
  return sets;
}

}  // namespace dietmt::kernels
