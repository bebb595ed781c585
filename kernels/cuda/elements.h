// Elements of tensors in 16 bits, and the operations of the kernels on them and on fp32; the same
// in device and host code.
#pragma once

#include <cstdint>
#include <type_traits>

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

/// Elements of 16 bytes, the unit of copies.
template <typename E>
constexpr int kVector = 16 / static_cast<int>(sizeof(E));

template <typename E>
constexpr bool kIsFloat = std::is_same_v<E, float>;

struct alignas(8) FloatPair {
  float of[2];
};

#ifdef __CUDACC__

DIETMT_DEVICE uint32_t bits_of(float x) { return __float_as_uint(x); }
DIETMT_DEVICE float float_of(uint32_t bits) { return __uint_as_float(bits); }

/// The nearest number of TF32, which has 10 bits of fraction.
DIETMT_DEVICE uint32_t round_to_tf32(float x) {
  uint32_t result;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(result) : "f"(x));
  return result;
}

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

inline uint32_t bits_of(float x) { return std::bit_cast<uint32_t>(x); }
inline float float_of(uint32_t bits) { return std::bit_cast<float>(bits); }

inline uint32_t round_to_tf32(float x) {
  const uint32_t bits = bits_of(x);
  return std::isfinite(x) ? (bits + 0x1000U) & ~uint32_t{0x1fff} : bits;
}

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

/// Two neighbouring elements, the first with an even index.
template <typename E>
DIETMT_DEVICE FloatPair read_pair(const E* from) {
  if constexpr (kIsFloat<E>) {
    return *reinterpret_cast<const FloatPair*>(from);
  } else {
    const uint32_t pair = *reinterpret_cast<const uint32_t*>(from);
    return {{low_float<E>(pair), high_float<E>(pair)}};
  }
}

/// Stores two neighbouring elements, the first with an even index.
template <typename E>
DIETMT_DEVICE void store_pair(E* to, float first, float second) {
  if constexpr (kIsFloat<E>) {
    *reinterpret_cast<FloatPair*>(to) = {{first, second}};
  } else {
    *reinterpret_cast<uint32_t*>(to) = pack<E>(first, second);
  }
}

/// Stores two elements at places that need not be neighbours.
template <typename E>
DIETMT_DEVICE void store_both(E* to, E* other, float first, float second) {
  if constexpr (kIsFloat<E>) {
    *to = first;
    *other = second;
  } else {
    const uint32_t pair = pack<E>(first, second);
    *to = E{static_cast<uint16_t>(pair & 0xffffU)};
    *other = E{static_cast<uint16_t>(pair >> 16)};
  }
}

/// The part of a product of rows that lies in these four bytes of each.
template <typename E>
DIETMT_DEVICE float multiply_words(uint32_t a, uint32_t b) {
  if constexpr (kIsFloat<E>) {
    return float_of(a) * float_of(b);
  } else {
    return low_float<E>(a) * low_float<E>(b) + high_float<E>(a) * high_float<E>(b);
  }
}

}  // namespace dietmt::kernels
