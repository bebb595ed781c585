// 16-bit floating point elements, the same in device and host code.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define DIETMT_DEVICE __device__ __forceinline__
#define DIETMT_HOST_DEVICE __host__ __device__ __forceinline__
#define DIETMT_UNROLL _Pragma("unroll")
#define DIETMT_UNROLL_TWICE _Pragma("unroll 2")
#define DIETMT_ROLLED _Pragma("unroll 1")
#else
#define DIETMT_DEVICE inline
#define DIETMT_HOST_DEVICE inline
#define DIETMT_UNROLL
#define DIETMT_UNROLL_TWICE
#define DIETMT_ROLLED
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#endif

#include "kernels/bfloat16.h"

namespace dietmt::kernels {

struct Half {
  uint16_t bits;
};

#ifdef __CUDACC__

DIETMT_DEVICE float to_float(BFloat16 x) { return __uint_as_float(uint32_t{x.bits} << 16); }

DIETMT_DEVICE float to_float(Half x) {
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(x.bits));
  return result;
}

/// Two elements in one register, `low` in the lower half, rounded to nearest even.
template <typename E>
DIETMT_DEVICE uint32_t pack(float low, float high);

template <>
DIETMT_DEVICE uint32_t pack<BFloat16>(float low, float high) {
  uint32_t result;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(result) : "f"(high), "f"(low));
  return result;
}

template <>
DIETMT_DEVICE uint32_t pack<Half>(float low, float high) {
  uint32_t result;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(result) : "f"(high), "f"(low));
  return result;
}

#else

inline float to_float(BFloat16 x) { return std::bit_cast<float>(uint32_t{x.bits} << 16); }

namespace detail {
inline float half_value(uint32_t bits) {
  const uint32_t exponent = (bits >> 10) & 31U;
  const auto fraction = static_cast<float>(bits & 1023U);
  float value = 0.0f;
  if (exponent == 31) {
    value = fraction == 0.0f ? std::numeric_limits<float>::infinity()
                             : std::numeric_limits<float>::quiet_NaN();
  } else if (exponent == 0) {
    value = std::ldexp(fraction, -24);
  } else {
    value = std::ldexp(1024.0f + fraction, static_cast<int>(exponent) - 25);
  }
  return (bits & 0x8000U) != 0 ? -value : value;
}
}  // namespace detail

inline float to_float(Half x) {
  static const auto values = [] {
    std::array<float, 65536> table{};
    for (uint32_t bits = 0; bits < table.size(); ++bits) table[bits] = detail::half_value(bits);
    return table;
  }();
  return values[x.bits];
}

inline uint16_t round_to(BFloat16 /*type*/, float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>((bits >> 16) | 0x40U);
  return static_cast<uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

inline uint16_t round_to(Half /*type*/, float value) {
  const auto sign = static_cast<uint16_t>((std::bit_cast<uint32_t>(value) >> 16) & 0x8000U);
  const float size = std::fabs(value);
  if (std::isnan(value)) return static_cast<uint16_t>(sign | 0x7e00U);
  if (size >= 65520.0f) return static_cast<uint16_t>(sign | 0x7c00U);
  if (size == 0.0f) return sign;
  int exponent = 0;
  std::frexp(size, &exponent);  // size in [2^(exponent-1), 2^exponent)
  const int unit = (exponent < -13 ? -13 : exponent) - 11;
  // nearbyint rounds to nearest even. A fraction of 2048 carries into the exponent by itself.
  const auto steps = static_cast<int>(std::nearbyint(std::ldexp(size, -unit)));
  const int bits = (unit + 24) * 1024 + steps;
  return static_cast<uint16_t>(sign | static_cast<uint16_t>(bits));
}

template <typename E>
uint32_t pack(float low, float high) {
  return uint32_t{round_to(E{}, low)} | (uint32_t{round_to(E{}, high)} << 16);
}

#endif

/// The two elements of a register.
template <typename E>
DIETMT_DEVICE float low_float(uint32_t packed) {
  return to_float(E{static_cast<uint16_t>(packed & 0xffffU)});
}

template <typename E>
DIETMT_DEVICE float high_float(uint32_t packed) {
  return to_float(E{static_cast<uint16_t>(packed >> 16)});
}

}  // namespace dietmt::kernels
