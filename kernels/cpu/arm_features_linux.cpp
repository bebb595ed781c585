#include <sys/auxv.h>

#include "kernels/cpu/arm_features.h"

namespace dietmt::kernels {

// Linux, Documentation/arch/arm64/elf_hwcaps.rst.
ArmFeatures arm_features() {
  constexpr unsigned long kDotProducts = 1UL << 20;                          // of AT_HWCAP
  constexpr unsigned long kInt8Matrices = 1UL << 13, kBFloat16 = 1UL << 14;  // of AT_HWCAP2
  constexpr unsigned long kMatrices = kInt8Matrices | kBFloat16;
  return {.dot_products = (getauxval(AT_HWCAP) & kDotProducts) != 0,
          .matrices = (getauxval(AT_HWCAP2) & kMatrices) == kMatrices};
}

}  // namespace dietmt::kernels
