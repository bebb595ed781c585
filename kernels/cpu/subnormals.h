// Numbers below the smallest normal one (1.2e-38). Compiled once for each instruction set, in
// namespace dietmt::kernels::DIETMT_ISA.
#pragma once

#include <xmmintrin.h>

namespace dietmt::kernels::DIETMT_ISA {

/// While it lives, this thread takes subnormal numbers as zeros. Small probabilities of a trained
/// model and their gradients are such, and processors are many times slower with them.
class SubnormalsAsZeros {
 public:
  SubnormalsAsZeros() : before_(_mm_getcsr()) {
    _mm_setcsr(before_ | kFlushResults | kFlushInputs);
  }
  ~SubnormalsAsZeros() { _mm_setcsr(before_); }
  SubnormalsAsZeros(const SubnormalsAsZeros&) = delete;
  SubnormalsAsZeros& operator=(const SubnormalsAsZeros&) = delete;

 private:
  static constexpr unsigned kFlushResults = 1U << 15, kFlushInputs = 1U << 6;
  unsigned before_;
};

}  // namespace dietmt::kernels::DIETMT_ISA
