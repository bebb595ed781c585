// The rows of a warpgroup in registers, as products leave them (sm90/primitives.h).
#pragma once

#include "kernels/cuda/sm90/primitives.h"

namespace dietmt::kernels {

constexpr int kRowSlots = 2;  // rows of a thread

/// The row of a thread within the 64 of its warpgroup.
DIETMT_DEVICE int warpgroup_row(int slot) {
  return warp_index() % 4 * 16 + lane_index() / 4 + 8 * slot;
}

/// Which of a thread's rows its number i belongs to, and how far from its first number that is.
DIETMT_DEVICE constexpr int slot_of(int i) { return i % 4 / 2; }
DIETMT_DEVICE constexpr int row_step(int i) { return 8 * slot_of(i); }
DIETMT_DEVICE constexpr int column_step(int i) { return i / 4 * 8 + i % 2; }
DIETMT_DEVICE int warpgroup_column(int i) { return 2 * (lane_index() % 4) + column_step(i); }

/// 64 rows of kColumns fp32 numbers.
template <int kColumns>
struct WarpgroupRows {
  float value[kColumns / 2];

  /// f(row, column, number, slot): the row counts within the warpgroup's; the slot tells a thread's
  /// rows apart.
  template <typename F>
  DIETMT_DEVICE void for_each(const F& f) {
    DIETMT_UNROLL
    for (int i = 0; i < kColumns / 2; ++i) {
      f(warpgroup_row(slot_of(i)), warpgroup_column(i), value[i], slot_of(i));
    }
  }

  DIETMT_DEVICE void zero() {
    DIETMT_UNROLL
    for (int i = 0; i < kColumns / 2; ++i) value[i] = 0.0f;
  }
};

/// The largest or the sum of a row's numbers, which lie in four neighbouring lanes.
DIETMT_DEVICE float row_maximum(float value) {
  DIETMT_UNROLL
  for (int lane = 1; lane < 4; lane *= 2) {
    value = fmaxf(shuffle_xor(value, lane), value);
  }
  return value;
}

DIETMT_DEVICE float row_sum(float value) {
  DIETMT_UNROLL
  for (int lane = 1; lane < 4; lane *= 2) value += shuffle_xor(value, lane);
  return value;
}

/// Stores factor * numbers to rows first .. first + count - 1 of one head.
template <typename E, int kColumns>
DIETMT_DEVICE void store_warpgroup_rows(const WarpgroupRows<kColumns>& numbers,
                                        const float (&factor)[kRowSlots], const HeadRows& rows,
                                        int64_t first, int count, int head, int width) {
  E* start = static_cast<E*>(rows.data) + int64_t{head} * width + 2 * (lane_index() % 4);
  DIETMT_UNROLL
  for (int slot = 0; slot < kRowSlots; ++slot) {
    const int row = warpgroup_row(slot);
    if (row >= count) continue;
    E* to = start + (first + row) * rows.token_stride;
    DIETMT_UNROLL
    for (int n = 0; n < kColumns / 8; ++n) {
      if (8 * n >= width) continue;
      const float* pair = numbers.value + 4 * n + 2 * slot;
      *reinterpret_cast<uint32_t*>(to + 8 * n) =
          pack<E>(pair[0] * factor[slot], pair[1] * factor[slot]);
    }
  }
}

}  // namespace dietmt::kernels
