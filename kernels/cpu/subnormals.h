// Numbers below the smallest normal one (1.2e-38). Compiled once for each instruction set, in
// namespace dietmt::kernels::DIETMT_ISA.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <cstdint>
#endif

namespace dietmt::kernels::DIETMT_ISA {

/// The register that controls how a thread computes with floats.
#if defined(__x86_64__)
struct FloatControl {
  using Bits = unsigned;
  static constexpr Bits kFlush = 1U << 15 | 1U << 6;  // of MXCSR: results and inputs
  static Bits get() { return _mm_getcsr(); }
  static void set(Bits bits) { _mm_setcsr(bits); }
};
#else
struct FloatControl {
  using Bits = uint64_t;
  static constexpr Bits kFlush = 1U << 24;  // of FPCR: results and inputs
  static Bits get() {
    Bits bits;
    asm volatile("mrs %0, fpcr" : "=r"(bits));
    return bits;
  }
  static void set(Bits bits) { asm volatile("msr fpcr, %0" ::"r"(bits) : "memory"); }
};
#endif

/// While it lives, this thread takes subnormal numbers as zeros. Small probabilities of a trained
/// model and their gradients are such, and processors are many times slower with them.
class SubnormalsAsZeros {
 public:
  SubnormalsAsZeros() : before_(FloatControl::get()) {
    FloatControl::set(before_ | FloatControl::kFlush);
  }
  ~SubnormalsAsZeros() { FloatControl::set(before_); }
  SubnormalsAsZeros(const SubnormalsAsZeros&) = delete;
  SubnormalsAsZeros& operator=(const SubnormalsAsZeros&) = delete;

 private:
  FloatControl::Bits before_;
};

}  // namespace dietmt::kernels::DIETMT_ISA
