// Dot products of one query with scattered rows, for the attention of a step.
#pragma once

#include <algorithm>
#include <utility>

#include "kernels/cpu/vector.h"

namespace dietmt::kernels::DIETMT_ISA {

/// Lanes with bit kDistance clear: a plus its lanes that far away; the others: b plus its lanes.
template <int kDistance, size_t... kLane>
inline Vector fold_pair(Vector a, Vector b, std::index_sequence<kLane...>) {
  constexpr IntVector kSecond = {((static_cast<int>(kLane) & kDistance) ? -1 : 0)...};
  const Vector own = kSecond ? b : a;
  const Vector other = kSecond ? a : b;
  return own + __builtin_shufflevector(other, other, (static_cast<int>(kLane) ^ kDistance)...);
}

/// Lane l of the result is the sum of sums[l].
template <int kDistance>
inline Vector fold_all(Vector* sums) {
  for (int k = 0; k < kDistance; ++k)
    sums[k] = fold_pair<kDistance>(sums[k], sums[k + kDistance],
                                   std::make_index_sequence<static_cast<size_t>(kLanes)>());
  if constexpr (kDistance > 1) {
    return fold_all<kDistance / 2>(sums);
  } else {
    return sums[0];
  }
}

/// Products with the rows j .. j + kRows - 1 of `count`, in the first lanes.
template <int64_t kRows, typename RowOf>
inline Vector dot_block(const float* q, int64_t width, RowOf row_of, int64_t j, int64_t count) {
  Vector sums[kLanes] = {};
#pragma GCC unroll 16
  for (int64_t l = 0; l < kRows; ++l) {
    const auto* row = row_of(std::min(j + l, count - 1));
    Vector sum = load(q) * load(row);
    for (int64_t c = kLanes; c < width; c += kLanes) sum += load(q + c) * load(row + c);
    sums[l] = sum;
  }
  return fold_all<kLanes / 2>(sums);
}

/// to[j] = q . row_of(j) for j < count; writes whole vectors. q and rows: `width` numbers, padded.
template <typename RowOf>
inline void dot_rows(const float* q, int64_t width, RowOf row_of, int64_t count, float* to) {
  for (int64_t j = 0; j < count; j += kLanes)
    store(to + j, count - j <= kLanes / 2 ? dot_block<kLanes / 2>(q, width, row_of, j, count)
                                          : dot_block<kLanes>(q, width, row_of, j, count));
}

template <typename Number>
inline float dot(const Number* a, const float* b, int64_t width) {
  Vector sum{};
  for (int64_t c = 0; c < width; c += kLanes) sum += load(a + c) * load(b + c);
  return sum_of(sum);
}

}  // namespace dietmt::kernels::DIETMT_ISA
