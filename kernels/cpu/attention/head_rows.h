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

/// One exchange of a transposition: blocks of kDistance lanes off the diagonal change places.
template <int kDistance, size_t... kLane>
inline void exchange(Vector& a, Vector& b, std::index_sequence<kLane...>) {
  constexpr int kAll = static_cast<int>(kLanes);
  const Vector upper = __builtin_shufflevector(
      a, b,
      ((static_cast<int>(kLane) & kDistance) ? kAll + static_cast<int>(kLane) - kDistance
                                             : static_cast<int>(kLane))...);
  b = __builtin_shufflevector(
      a, b,
      ((static_cast<int>(kLane) & kDistance) ? kAll + static_cast<int>(kLane)
                                             : static_cast<int>(kLane) + kDistance)...);
  a = upper;
}

template <int kDistance>
inline void exchange_all(Vector (&rows)[kLanes]) {
#pragma GCC unroll 16
  for (int r = 0; r < kLanes; ++r)
    if ((r & kDistance) == 0)
      exchange<kDistance>(rows[r], rows[r + kDistance], std::make_index_sequence<kLanes>());
  if constexpr (kDistance * 2 < kLanes) exchange_all<kDistance * 2>(rows);
}

/// Calls put(c, r, from[r .. r + kLanes - 1, c]) for all columns c, with r a multiple of kLanes;
/// rows beyond `rows` count as zeros. The stride is padded to whole vectors.
template <typename Put>
inline void for_transposed(const float* from, int64_t from_stride, int64_t rows, int64_t columns,
                           Put put) {
  for (int64_t r = 0; r < rows; r += kLanes) {
    const int64_t here = std::min(kLanes, rows - r);
    for (int64_t c = 0; c < columns; c += kLanes) {
      Vector block[kLanes];
#pragma GCC unroll 16
      for (int64_t i = 0; i < kLanes; ++i)
        block[i] = i < here ? load(from + (r + i) * from_stride + c) : Vector{};
      exchange_all<1>(block);
#pragma GCC unroll 16
      for (int64_t i = 0; i < kLanes; ++i)
        if (c + i < columns) put(c + i, r, block[i]);
    }
  }
}

/// to[c, r] = from[r, c] for `rows` rows of `columns` numbers; both strides padded to whole
/// vectors, rows r of `to` beyond `rows` become zeros up to the next whole vector.
inline void transpose(const float* from, int64_t from_stride, int64_t rows, int64_t columns,
                      float* to, int64_t to_stride) {
  for_transposed(from, from_stride, rows, columns,
                 [&](int64_t c, int64_t r, Vector x) { store(to + c * to_stride + r, x); });
}

}  // namespace dietmt::kernels::DIETMT_ISA
