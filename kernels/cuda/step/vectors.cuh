// Vectors in pieces of 8 numbers, one for each lane, for the kernels of a decoding step.
#pragma once

#include <bit>
#include <type_traits>

#include "kernels/cuda/primitives.h"

namespace dietmt::kernels {

constexpr int kLaneNumbers = 8;
constexpr int kStepQueries = 5;  // of a warp, where a group has several: the usual beam

template <int kLanes>
struct LaneCount {};

DIETMT_DEVICE int64_t clipped_offset(int64_t offset, int64_t clip) {
  return (offset < -clip ? -clip : offset > clip ? clip : offset) + clip;
}

DIETMT_DEVICE float natural_logarithm(float x) {
#ifdef __CUDACC__
  return logf(x);
#else
  return std::log(x);
#endif
}

/// The place of the lowest bit of x, which is not 0.
DIETMT_DEVICE int lowest_bit(uint32_t x) {
#ifdef __CUDACC__
  return __ffs(static_cast<int>(x)) - 1;
#else
  return std::countr_zero(x);
#endif
}

DIETMT_DEVICE float element_value(float x) { return x; }
DIETMT_DEVICE float element_value(BFloat16 x) { return to_float(x); }
DIETMT_DEVICE float element_value(Half x) { return to_float(x); }

/// 8 numbers as they lie in memory, at an address that 16 divides. A load that is not waited for
/// takes few registers so.
template <typename E>
struct RawNumbers {
  Words of[sizeof(E) * kLaneNumbers / sizeof(Words)];
};

/// Elements first .. first + 7 of an array of E.
template <typename E>
DIETMT_DEVICE RawNumbers<E> load_raw(const void* data, int64_t first) {
  constexpr int kParts = sizeof(RawNumbers<E>) / sizeof(Words);
  RawNumbers<E> raw;
  DIETMT_UNROLL
  for (int i = 0; i < kParts; ++i)
    raw.of[i] = load_words(static_cast<const E*>(data) + first + i * kVector<E>);
  return raw;
}

template <typename E>
DIETMT_DEVICE void store_raw(const RawNumbers<E>& raw, void* data, int64_t first) {
  constexpr int kParts = sizeof(RawNumbers<E>) / sizeof(Words);
  DIETMT_UNROLL
  for (int i = 0; i < kParts; ++i)
    store_words(static_cast<E*>(data) + first + i * kVector<E>, raw.of[i]);
}

template <typename E>
DIETMT_DEVICE void numbers_of(const RawNumbers<E>& raw, float (&to)[kLaneNumbers]) {
  DIETMT_UNROLL
  for (int i = 0; i < 4; ++i) {
    if constexpr (kIsFloat<E>) {
      to[i] = float_of(raw.of[0].of[i]);
      to[i + 4] = float_of(raw.of[1].of[i]);
    } else {
      to[2 * i] = low_float<E>(raw.of[0].of[i]);
      to[2 * i + 1] = high_float<E>(raw.of[0].of[i]);
    }
  }
}

template <typename E>
DIETMT_DEVICE void load_vector(const void* data, int64_t first, float (&to)[kLaneNumbers]) {
  numbers_of(load_raw<E>(data, first), to);
}

template <typename E>
DIETMT_DEVICE void store_vector(const float (&from)[kLaneNumbers], void* data, int64_t first) {
  Words words;
  if constexpr (std::is_same_v<E, float>) {
    float* to = static_cast<float*>(data) + first;
    DIETMT_UNROLL
    for (int half = 0; half < 2; ++half) {
      for (int i = 0; i < 4; ++i) words.of[i] = bits_of(from[4 * half + i]);
      store_words(to + 4 * half, words);
    }
  } else {
    DIETMT_UNROLL
    for (int i = 0; i < 4; ++i) words.of[i] = pack<E>(from[2 * i], from[2 * i + 1]);
    store_words(static_cast<E*>(data) + first, words);
  }
}

/// Bit l: whether lane l of the warp has `mine`.
DIETMT_DEVICE uint32_t lanes_where(bool mine) {
  uint32_t lanes = mine ? 1U << lane_index() : 0;
  DIETMT_UNROLL
  for (int mask = 1; mask < kWarpThreads; mask *= 2)
    lanes |= bits_of(shuffle_xor(float_of(lanes), mask));
  return lanes;
}

/// The sum over the lanes of a sub-warp, in all of them.
template <int kLanes>
DIETMT_DEVICE float lane_sum(float x) {
  DIETMT_UNROLL
  for (int mask = 1; mask < kLanes; mask *= 2) x += shuffle_xor(x, mask);
  return x;
}

/// The largest of a sub-warp, in all of its lanes.
template <int kLanes>
DIETMT_DEVICE float lane_max(float x) {
  DIETMT_UNROLL
  for (int mask = 1; mask < kLanes; mask *= 2) {
    const float other = shuffle_xor(x, mask);
    x = other > x ? other : x;
  }
  return x;
}

/// The sum over the same lane of all sub-warps, in all of them.
template <int kLanes>
DIETMT_DEVICE float sub_warp_sum(float x) {
  DIETMT_UNROLL
  for (int mask = kLanes; mask < kWarpThreads; mask *= 2) x += shuffle_xor(x, mask);
  return x;
}

}  // namespace dietmt::kernels
