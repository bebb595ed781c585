// Copies between the vectors of one head in a packed batch and contiguous fp32 rows, padded to
// whole vectors with zeros.
#pragma once

#include <algorithm>
#include <utility>

#include "kernels/attention.h"
#include "kernels/cpu/vector.h"

namespace dietmt::kernels::DIETMT_ISA {

inline float from_bfloat16(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

/// Rounds to nearest, ties to even; NaN stays NaN.
inline uint16_t to_bfloat16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return 0x7fc0;
  return static_cast<uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

/// `count` vectors of `width` numbers of one head.
struct HeadVectors {
  HeadRows rows;
  ElementType type;
  int64_t first;  // token
  int64_t count;
  int64_t head;
  int64_t width;

  int64_t element(int64_t row) const { return (first + row) * rows.token_stride + head * width; }
};

/// to[r, 0:width] = from[r] * scale, zeros up to the next whole vector.
inline void read_rows(const HeadVectors& from, float scale, float* to, int64_t to_stride) {
  for (int64_t r = 0; r < from.count; ++r, to += to_stride) {
    int64_t c = 0;
    if (from.type == ElementType::kFloat) {
      const float* row = static_cast<const float*>(from.rows.data) + from.element(r);
      for (; c + kLanes <= from.width; c += kLanes) store(to + c, load(row + c) * scale);
      for (; c < from.width; ++c) to[c] = row[c] * scale;
    } else {
      const uint16_t* row = static_cast<const uint16_t*>(from.rows.data) + from.element(r);
      for (; c < from.width; ++c) to[c] = from_bfloat16(row[c]) * scale;
    }
    for (; c < padded(from.width); ++c) to[c] = 0.0f;
  }
}

/// to[r] = from[r, 0:width] * scale.
inline void write_rows(const float* from, int64_t from_stride, float scale, const HeadVectors& to) {
  for (int64_t r = 0; r < to.count; ++r, from += from_stride) {
    int64_t c = 0;
    if (to.type == ElementType::kFloat) {
      float* row = static_cast<float*>(to.rows.data) + to.element(r);
      for (; c + kLanes <= to.width; c += kLanes) store(row + c, load(from + c) * scale);
      for (; c < to.width; ++c) row[c] = from[c] * scale;
    } else {
      uint16_t* row = static_cast<uint16_t*>(to.rows.data) + to.element(r);
      for (; c < to.width; ++c) row[c] = to_bfloat16(from[c] * scale);
    }
  }
}

/// to[r] = what write_rows() in bf16 takes from from[r, 0:width] * scale.
inline void write_rest(const float* from, int64_t from_stride, float scale, const HeadVectors& to) {
  for (int64_t r = 0; r < to.count; ++r, from += from_stride) {
    uint16_t* row = static_cast<uint16_t*>(to.rows.data) + to.element(r);
    for (int64_t c = 0; c < to.width; ++c) {
      const float exact = from[c] * scale;
      row[c] = to_bfloat16(exact - from_bfloat16(to_bfloat16(exact)));
    }
  }
}

}  // namespace dietmt::kernels::DIETMT_ISA
