// Transposition in registers, for sources that are compiled once for each instruction set. Numbers
// keep their bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/cpu/vector.h"

namespace dietmt::kernels::DIETMT_ISA {

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
