// A thread's way down the rows of a RowSplit: it keeps its unit of 16 bytes and reads several rows
// before it computes.
#pragma once

#include "kernels/cuda/rowwise/column_reduction.cuh"

namespace dietmt::kernels {

struct RowWalk {
  bool idle = false;  // more threads than units
  int unit = 0;
  int lane = 0;
  int64_t first = 0;
  int64_t step = 0;

  DIETMT_DEVICE RowWalk(const RowSplit& split, BlockIndex block) {
    const int in_strip = thread_index() % split.per_strip;
    lane = thread_index() / split.per_strip;
    unit = block.y * split.per_strip + in_strip;
    idle = lane >= split.lanes || unit >= split.units;
    first = int64_t{block.x} * split.lanes + lane;
    step = int64_t{split.parts} * split.lanes;
  }

  /// use(row, load(row)) for each of the thread's rows, kTogether of them in flight.
  template <int kTogether, typename Load, typename Use>
  DIETMT_DEVICE void each(int64_t rows, const Load& load, const Use& use) const {
    if (idle) return;
    for (int64_t row = first; row < rows; row += kTogether * step) {
      decltype(load(row)) loaded[kTogether];
      DIETMT_UNROLL
      for (int i = 0; i < kTogether; ++i) {
        if (row + i * step < rows) loaded[i] = load(row + i * step);
      }
      DIETMT_UNROLL
      for (int i = 0; i < kTogether; ++i) {
        if (row + i * step < rows) use(row + i * step, loaded[i]);
      }
    }
  }
};

/// Shared memory of store_lane_columns(), and two words for finish_columns().
constexpr int64_t lane_columns_bytes(int per_vector) {
  return (int64_t{kRowThreads} * per_vector + 4) * int64_t{sizeof(float)};
}

/// The columns of a strip whose units are kCount columns.
template <int kCount>
DIETMT_DEVICE StripColumns columns_of(const RowSplit& split, int strip, int64_t width) {
  const int64_t begin = int64_t{strip} * split.per_strip * kCount;
  const int64_t end = begin + int64_t{split.per_strip} * kCount;
  return {begin, end < width ? end : width};
}

/// The block's part of sum `sum` from the columns of its threads, lanes in their order.
template <int kCount>
DIETMT_DEVICE void store_lane_columns(const ColumnReduction& reduction, int sum,
                                      const RowSplit& split, const RowWalk& walk, BlockIndex block,
                                      const float (&own)[kCount], float* shared) {
  sync_block();
  if (!walk.idle) {
    DIETMT_UNROLL
    for (int e = 0; e < kCount; ++e) shared[thread_index() * kCount + e] = own[e];
  }
  sync_block();
  const StripColumns columns = columns_of<kCount>(split, block.y, reduction.width);
  const int lane_numbers = split.per_strip * kCount;
  float* const row = reduction.row(sum, block.x);
  for (int64_t column = columns.begin + thread_index(); column < columns.end;
       column += kRowThreads) {
    float total = 0.0f;
    for (int lane = 0; lane < split.lanes; ++lane) {
      total += shared[lane * lane_numbers + (column - columns.begin)];
    }
    row[column] = total;
  }
}

}  // namespace dietmt::kernels
