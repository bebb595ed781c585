// Dot products of 32-bit groups, for the three types of weights: one number (fp32), two (bf16) or
// four (int8) of an output times as many of a row. `Weights` holds the groups of kLanes outputs,
// ready to be multiplied with several rows. Arm's instructions can also take the group of a row
// from one lane of kLanes groups (add_lane). For sources compiled once for each instruction set.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#else
#include "kernels/cpu/linear/linear_dots_arm.h"
#endif

#include "kernels/cpu/linear/linear_storage.h"
#include "kernels/cpu/vector.h"

namespace dietmt::kernels::DIETMT_ISA {

/// a * b + c, in one rounding where the instruction set has it.
inline Vector multiply_add(Vector a, Vector b, Vector c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_ps(a, b, c);
#elif defined(__FMA__)
  return _mm256_fmadd_ps(a, b, c);
#elif defined(__aarch64__)
  return vfmaq_f32(c, a, b);
#else
  return a * b + c;
#endif
}

#if defined(__aarch64__)
constexpr int kDotRows = 4;
#else
constexpr int kDotRows = 6;  // of a block: with kPanelVectors outputs they fill the registers
#endif

struct FloatDots {
  static constexpr WeightType kType = WeightType::kFloat;
  static constexpr int kRows = kDotRows;
  using Sums = Vector;
  using Weights = Vector;

  static Weights read(const char* from) { return load(reinterpret_cast<const float*>(from)); }
  static Sums add(Sums sums, Weights w, int32_t group) {
    return multiply_add(w, reinterpret_cast<Vector>(group - IntVector{}), sums);
  }
#if defined(__aarch64__)
  template <int kLane>
  static Sums add_lane(Sums sums, Weights w, IntVector groups) {
    return vfmaq_laneq_f32(sums, w, reinterpret_cast<Vector>(groups), kLane);
  }
#endif
};

#if defined(__AVX512BF16__)
struct BFloat16Dots {
  static constexpr WeightType kType = WeightType::kBFloat16;
  static constexpr int kRows = 6;
  using Sums = Vector;
  using Weights = IntVector;

  static Weights read(const char* from) { return load_ints(from); }
  static Sums add(Sums sums, Weights w, int32_t group) {
    return _mm512_dpbf16_ps(sums, reinterpret_cast<__m512bh>(w),
                            reinterpret_cast<__m512bh>(group - IntVector{}));
  }
};
#elif defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
using BFloat16Dots = NeonBFloat16Dots;
#else
/// As floats: the second of each two is the upper half of its float.
struct BFloat16Dots {
  static constexpr WeightType kType = WeightType::kBFloat16;
  static constexpr int kRows = 4;
  using Sums = Vector;
  struct Weights {
    Vector first, second;
  };

  static Weights split(IntVector pairs) {
    return {reinterpret_cast<Vector>(pairs << 16),
            reinterpret_cast<Vector>(pairs & static_cast<int32_t>(0xffff0000u))};
  }
  static Weights read(const char* from) { return split(load_ints(from)); }
  static Sums add(Sums sums, const Weights& w, int32_t group) {
    const Weights x = split(group - IntVector{});
    return multiply_add(w.first, x.first, multiply_add(w.second, x.second, sums));
  }
};
#endif

#if defined(__AVX512VNNI__) || defined(__AVXVNNI__)
struct Int8Dots {
  static constexpr WeightType kType = WeightType::kInt8;
  static constexpr int kRows = 6;
  using Sums = IntVector;
  using Weights = IntVector;

  static Weights read(const char* from) { return load_ints(from); }
  static Sums add(Sums sums, Weights w, int32_t group) {
    const IntVector x = group - IntVector{};
#if defined(__AVX512VNNI__)
    return reinterpret_cast<IntVector>(_mm512_dpbusd_epi32(reinterpret_cast<__m512i>(sums),
                                                           reinterpret_cast<__m512i>(x),
                                                           reinterpret_cast<__m512i>(w)));
#else
    return reinterpret_cast<IntVector>(_mm256_dpbusd_avx_epi32(reinterpret_cast<__m256i>(sums),
                                                               reinterpret_cast<__m256i>(x),
                                                               reinterpret_cast<__m256i>(w)));
#endif
  }
};
#elif defined(__ARM_FEATURE_DOTPROD)
using Int8Dots = NeonInt8Dots;
#else
/// Products of 16-bit integers, which are exact; those of unsigned with signed bytes would
/// saturate. Bytes 0 and 2 of each four are in `even`, 1 and 3 in `odd`.
struct Int8Dots {
  static constexpr WeightType kType = WeightType::kInt8;
  static constexpr int kRows = 4;
  using Sums = IntVector;
  using Shorts = int16_t __attribute__((vector_size(kLanes * 4)));
  using UnsignedShorts = uint16_t __attribute__((vector_size(kLanes * 4)));
  struct Weights {
    IntVector even, odd;
  };

  static Weights read(const char* from) {
    const auto pairs = reinterpret_cast<Shorts>(load_ints(from));
    return {reinterpret_cast<IntVector>((pairs << 8) >> 8),
            reinterpret_cast<IntVector>(pairs >> 8)};
  }
  static Sums add(Sums sums, const Weights& w, int32_t group) {
    const IntVector x = group - IntVector{};
    const auto odd = reinterpret_cast<IntVector>(reinterpret_cast<UnsignedShorts>(x) >> 8);
    return sums + pair_sums(w.even, x & 0x00ff00ff) + pair_sums(w.odd, odd);
  }

 private:
  /// Products of 16-bit integers: each of the lower halves plus that of the upper.
  static IntVector pair_sums(IntVector a, IntVector b) {
#if defined(__AVX512BW__)
    return reinterpret_cast<IntVector>(
        _mm512_madd_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
    return reinterpret_cast<IntVector>(
        _mm256_madd_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__aarch64__)
    const auto x = reinterpret_cast<int16x8_t>(a), y = reinterpret_cast<int16x8_t>(b);
    return vpaddq_s32(vmull_s16(vget_low_s16(x), vget_low_s16(y)), vmull_high_s16(x, y));
#else
    return reinterpret_cast<IntVector>(
        _mm_madd_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#endif
  }
};
#endif

}  // namespace dietmt::kernels::DIETMT_ISA
