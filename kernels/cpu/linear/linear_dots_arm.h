// Dot products of 32-bit groups by the instructions of Armv8.2 (UDOT) and Armv8.6 (USDOT, BFDOT);
// see linear_dots.h. For sources compiled once for each instruction set.
#pragma once

#include <arm_neon.h>

#include "kernels/cpu/linear/linear_storage.h"
#include "kernels/cpu/vector.h"

namespace dietmt::kernels::DIETMT_ISA {

#if defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
struct NeonBFloat16Dots {
  static constexpr WeightType kType = WeightType::kBFloat16;
  static constexpr int kRows = 4;
  using Sums = Vector;
  using Weights = IntVector;

  static Weights read(const char* from) { return load_ints(from); }
  static Sums add(Sums sums, Weights w, int32_t group) {
    return vbfdotq_f32(sums, reinterpret_cast<bfloat16x8_t>(w),
                       reinterpret_cast<bfloat16x8_t>(group - IntVector{}));
  }
  template <int kLane>
  static Sums add_lane(Sums sums, Weights w, IntVector groups) {
    return vbfdotq_laneq_f32(sums, reinterpret_cast<bfloat16x8_t>(w),
                             reinterpret_cast<bfloat16x8_t>(groups), kLane);
  }
};
#endif

#if defined(__ARM_FEATURE_MATMUL_INT8)
struct NeonInt8Dots {
  static constexpr WeightType kType = WeightType::kInt8;
  static constexpr int kRows = 4;
  using Sums = IntVector;
  using Weights = IntVector;

  static Weights read(const char* from) { return load_ints(from); }
  static Sums add(Sums sums, Weights w, int32_t group) {
    return vusdotq_s32(sums, reinterpret_cast<uint8x16_t>(group - IntVector{}),
                       reinterpret_cast<int8x16_t>(w));
  }
  template <int kLane>
  static Sums add_lane(Sums sums, Weights w, IntVector groups) {
    return vsudotq_laneq_s32(sums, reinterpret_cast<int8x16_t>(w),
                             reinterpret_cast<uint8x16_t>(groups), kLane);
  }
};
#elif defined(__ARM_FEATURE_DOTPROD)
/// Armv8.2 multiplies bytes that both have a sign or both have none. Weights get kWeightOffset
/// more, which costs the sums as many times the sum of the row: modulo 2^32 nothing is lost.
struct NeonInt8Dots {
  static constexpr WeightType kType = WeightType::kInt8;
  static constexpr int kRows = 4;
  static constexpr int32_t kWeightOffset = 128;
  using Sums = UintVector;
  using Weights = UintVector;

  static Weights read(const char* from) {
    return reinterpret_cast<UintVector>(load_ints(from)) ^ 0x80808080U;
  }
  static Sums add(Sums sums, Weights w, int32_t group) {
    return vdotq_u32(sums, reinterpret_cast<uint8x16_t>(group - IntVector{}),
                     reinterpret_cast<uint8x16_t>(w));
  }
  template <int kLane>
  static Sums add_lane(Sums sums, Weights w, IntVector groups) {
    return vdotq_laneq_u32(sums, reinterpret_cast<uint8x16_t>(w),
                           reinterpret_cast<uint8x16_t>(groups), kLane);
  }

  /// The sum of the bytes of a row.
  static uint32_t row_sum(const char* row, int64_t groups) {
    UintVector sums = {};
    for_vectors(groups, [&](int64_t g, int64_t count) {
      const Vector bytes = load(reinterpret_cast<const float*>(row + g * kGroupBytes), count);
      sums = vdotq_u32(sums, reinterpret_cast<uint8x16_t>(bytes), vdupq_n_u8(1));
    });
    return vaddvq_u32(sums);
  }
};
#endif

}  // namespace dietmt::kernels::DIETMT_ISA
