// Vectors of fp32 lanes as GCC vector extensions, for sources that are compiled once for each
// instruction set (*.isa.cpp): everything here lives in namespace dietmt::kernels::DIETMT_ISA.
#pragma once

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include <cstdint>
#include <cstring>
#include <utility>

#include "kernels/bfloat16.h"
#include "kernels/dropout.h"

namespace dietmt::kernels::DIETMT_ISA {

#if defined(__AVX512F__)
constexpr int64_t kLanes = 16;
constexpr int kPanelVectors = 4;  // of a product's block; 6 rows of them fill the registers
#elif defined(__AVX2__)
constexpr int64_t kLanes = 8;
constexpr int kPanelVectors = 2;
#else
constexpr int64_t kLanes = 4;
#if defined(__aarch64__)
constexpr int kPanelVectors = 4;  // of a product's block; 4 rows of them fill the registers
#else
constexpr int kPanelVectors = 2;
#endif
#endif

using Vector = float __attribute__((vector_size(kLanes * 4)));
using IntVector = int32_t __attribute__((vector_size(kLanes * 4)));
using UintVector = uint32_t __attribute__((vector_size(kLanes * 4)));
using UnalignedVector = float __attribute__((vector_size(kLanes * 4), aligned(4), may_alias));

/// The next multiple of kLanes.
constexpr int64_t padded(int64_t size) { return (size + kLanes - 1) / kLanes * kLanes; }

inline Vector load(const float* from) { return *reinterpret_cast<const UnalignedVector*>(from); }
inline void store(float* to, Vector x) { *reinterpret_cast<UnalignedVector*>(to) = x; }

using UnalignedInts = int32_t __attribute__((vector_size(kLanes * 4), aligned(4), may_alias));

inline IntVector load_ints(const void* from) { return *static_cast<const UnalignedInts*>(from); }
inline void store_ints(void* to, IntVector x) { *static_cast<UnalignedInts*>(to) = x; }

using Halves = uint16_t __attribute__((vector_size(kLanes * 2)));
using UnalignedHalves = uint16_t __attribute__((vector_size(kLanes * 2), aligned(2), may_alias));

inline Vector load(const BFloat16* from) {
#if defined(__AVX512F__)  // gcc widens 16 lanes in two halves
  const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  const auto wide = reinterpret_cast<UintVector>(_mm512_maskz_cvtepu16_epi32(0xffff, bits));
#else
  const Halves bits = *reinterpret_cast<const UnalignedHalves*>(from);
  const UintVector wide = __builtin_convertvector(bits, UintVector);
#endif
  return reinterpret_cast<Vector>(wide << 16);
}

/// The nearest bf16, ties to even; NaN stays NaN.
inline Halves nearest_halves(Vector x) {
#if defined(__AVX512BF16__)  // numbers below the smallest normal one become zeros
  return reinterpret_cast<Halves>(_mm512_cvtneps_pbh(x));
#else
  const auto bits = reinterpret_cast<UintVector>(x);
  const UintVector nearest = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  const UintVector quiet = bits >> 16 | 0x40;
  return __builtin_convertvector(x == x ? nearest : quiet, Halves);
#endif
}
inline void store(BFloat16* to, Vector x) {
  *reinterpret_cast<UnalignedHalves*>(to) = nearest_halves(x);
}

inline Vector broadcast(float x) { return x - Vector{}; }

/// The first `count` < kLanes numbers, then zeros; reads nothing beyond.
template <typename Number>
inline Vector load_first(const Number* from, int64_t count) {
  Number lanes[kLanes] = {};
  std::memcpy(lanes, from, static_cast<size_t>(count) * sizeof(Number));
  return load(lanes);
}

/// Vectors of a row; the last one may have fewer numbers: run(column, count).
template <typename Run>
inline void for_vectors(int64_t columns, Run run) {
  int64_t c = 0;
  for (; c + kLanes <= columns; c += kLanes) run(c, kLanes);
  if (c < columns) run(c, columns - c);
}

/// `count` numbers of such a vector, followed by zeros.
template <typename Number>
inline Vector load(const Number* from, int64_t count) {
  return count == kLanes ? load(from) : load_first(from, count);
}

template <typename Number>
inline void store(Number* to, Vector x, int64_t count) {
  if (count == kLanes) return store(to, x);
  Number lanes[kLanes];
  store(lanes, x);
  std::memcpy(to, lanes, static_cast<size_t>(count) * sizeof(Number));
}

inline void add_to(float* to, Vector x) { store(to, load(to) + x); }

inline IntVector lane_numbers() {
  IntVector numbers;
  for (int lane = 0; lane < kLanes; ++lane) numbers[lane] = lane;
  return numbers;
}

/// `x` in the first `count` lanes, `other` in the rest.
inline Vector first_lanes(Vector x, int64_t count, float other) {
  return lane_numbers() < static_cast<int32_t>(count) ? x : broadcast(other);
}

/// The larger of each two; b where either is NaN. A running maximum goes second, so that a NaN
/// among the numbers never takes its place.
inline Vector larger(Vector a, Vector b) { return a > b ? a : b; }

/// The lanes half a vector, a quarter, ... away, joined by `join` into one number.
template <int kDistance, typename Join, size_t... kLane>
inline float fold(Vector x, Join join, std::index_sequence<kLane...> lanes) {
  x = join(x, __builtin_shufflevector(x, x, (static_cast<int>(kLane) ^ kDistance)...));
  if constexpr (kDistance > 1) {
    return fold<kDistance / 2>(x, join, lanes);
  } else {
    return x[0];
  }
}

inline float sum_of(Vector x) {
  return fold<kLanes / 2>(
      x, [](Vector a, Vector b) { return a + b; }, std::make_index_sequence<kLanes>());
}

inline float largest_of(Vector x) {
  return fold<kLanes / 2>(x, larger, std::make_index_sequence<kLanes>());
}

/// Limit of the argument of exponential(). Most callers subtract a maximum and need no check.
constexpr float kLargestExponent = 87.0f;

/// exp(x), relative error below 4e-7; 1e-38 below -87; NaN stays NaN; meaningless above
/// kLargestExponent. exp(x) = 2^n exp(r) with |r| <= ln(2) / 2, exp(r) by its Taylor series to r^6.
inline Vector exponential(Vector x) {
  x = x < -kLargestExponent ? broadcast(-kLargestExponent) : x;
  constexpr float kRounder = 12582912.0f;  // 1.5 * 2^23: adding it rounds to whole numbers
  const Vector rounded = x * 1.44269504f + kRounder;
  const Vector r = x - (rounded - kRounder) * 0.693147181f;
  Vector p = r * (1.0f / 720) + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  const UintVector power = (reinterpret_cast<UintVector>(rounded) << 23) + (127U << 23);
  return p * reinterpret_cast<Vector>(power);
}

/// Dropout factors 0 or `scale` of elements index .. index + kLanes - 1 (kernels/dropout.h).
struct DropoutLanes {
  uint64_t key;
  uint32_t threshold;
  float scale;

  Vector dropped(Vector x, int64_t index) const {
    return threshold == 0 ? x : x * factors(static_cast<uint32_t>(index));
  }

  Vector factors(uint32_t index) const {
    const UintVector indices = reinterpret_cast<UintVector>(lane_numbers()) + index;
    return dropout_bits(key, indices) >= threshold ? broadcast(scale) : Vector{};
  }

  /// Those of attention probabilities from `column` on.
  Vector factors_of_row(uint32_t start, uint32_t column) const {
    const UintVector columns = reinterpret_cast<UintVector>(lane_numbers()) + column;
    return dropout_bits_at(columns * kDropoutStep + start) >= threshold ? broadcast(scale)
                                                                        : Vector{};
  }
};

inline DropoutLanes dropout_lanes(double p, uint64_t key) {
  return {key, dropout_threshold(p), static_cast<float>(1.0 / (1.0 - p))};
}

}  // namespace dietmt::kernels::DIETMT_ISA
