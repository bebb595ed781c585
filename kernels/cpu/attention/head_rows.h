// Copies between the vectors of one head in a packed batch and contiguous fp32 rows, padded to
// whole vectors with zeros.
#pragma once

#include <algorithm>
#include <utility>

#include "kernels/attention.h"
#include "kernels/cpu/vector.h"

namespace dietmt::kernels::DIETMT_ISA {

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

template <typename Number>
inline void read_rows_of(const HeadVectors& from, float scale, float* to, int64_t to_stride) {
  for (int64_t r = 0; r < from.count; ++r, to += to_stride) {
    const Number* const row = static_cast<const Number*>(from.rows.data) + from.element(r);
    for_vectors(from.width,
                [&](int64_t c, int64_t count) { store(to + c, load(row + c, count) * scale); });
  }
}

/// to[r, 0:width] = from[r] * scale, zeros up to the next whole vector.
inline void read_rows(const HeadVectors& from, float scale, float* to, int64_t to_stride) {
  if (from.type == ElementType::kFloat)
    read_rows_of<float>(from, scale, to, to_stride);
  else
    read_rows_of<BFloat16>(from, scale, to, to_stride);
}

template <typename Number>
inline void write_rows_of(const float* from, int64_t from_stride, float scale,
                          const HeadVectors& to) {
  for (int64_t r = 0; r < to.count; ++r, from += from_stride) {
    Number* const row = static_cast<Number*>(to.rows.data) + to.element(r);
    for_vectors(to.width,
                [&](int64_t c, int64_t count) { store(row + c, load(from + c) * scale, count); });
  }
}

/// to[r] = from[r, 0:width] * scale; `from` has whole vectors.
inline void write_rows(const float* from, int64_t from_stride, float scale, const HeadVectors& to) {
  if (to.type == ElementType::kFloat)
    write_rows_of<float>(from, from_stride, scale, to);
  else
    write_rows_of<BFloat16>(from, from_stride, scale, to);
}

/// to[r] = what write_rows() in bf16 takes from from[r, 0:width] * scale.
inline void write_rest(const float* from, int64_t from_stride, float scale, const HeadVectors& to) {
  for (int64_t r = 0; r < to.count; ++r, from += from_stride) {
    auto* const row = static_cast<BFloat16*>(to.rows.data) + to.element(r);
    for_vectors(to.width, [&](int64_t c, int64_t count) {
      const Vector exact = load(from + c) * scale;
      BFloat16 rounded[kLanes];
      store(rounded, exact);
      store(row + c, exact - load(rounded), count);
    });
  }
}

}  // namespace dietmt::kernels::DIETMT_ISA
