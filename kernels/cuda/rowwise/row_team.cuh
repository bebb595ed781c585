// The threads that hold one row in registers, kNormElements columns each: a part of a warp, a warp
// or several.
#pragma once

#include "kernels/cuda/rowwise/vectors.cuh"

namespace dietmt::kernels {

template <typename E>
constexpr int kNormVectors = kNormElements / kVector<E>;

/// A row is kRowLanes * kNormElements columns wide at most; a block works on kTeams rows at a time.
template <typename E, int kRowLanes>
struct RowTeam {
  static constexpr int kTeams = kNormThreads / kRowLanes;
  static constexpr int kColumns = kRowLanes * kNormElements;

  DIETMT_DEVICE static int index() { return thread_index() / kRowLanes; }

  /// The first column of a lane's vector v.
  DIETMT_DEVICE static int column(int v) {
    return (v * kRowLanes + thread_index() % kRowLanes) * kVector<E>;
  }
};

/// Sums over the columns of each team's row. With several warps a row, all teams of the block call
/// it together.
template <int kRowLanes>
class RowSums {
 public:
  static constexpr int kMostSums = 2;
  static constexpr int kNumbers = 2 * kMostSums * kNormWarps;  // two sets, which take turns

  DIETMT_DEVICE explicit RowSums(float* shared) : shared_(shared) {}

  template <int kCount>
  DIETMT_DEVICE void add(float (&values)[kCount]) {
    constexpr int kLanes = kRowLanes < kWarpThreads ? kRowLanes : kWarpThreads;
    DIETMT_UNROLL
    for (int mask = kLanes / 2; mask > 0; mask /= 2) {
      DIETMT_UNROLL
      for (int i = 0; i < kCount; ++i) values[i] += shuffle_xor(values[i], mask);
    }
    if constexpr (kRowLanes > kWarpThreads) add_warps(values);
  }

 private:
  template <int kCount>
  DIETMT_DEVICE void add_warps(float (&values)[kCount]) {
    constexpr int kRowWarps = kRowLanes / kWarpThreads;
    float* const slots = shared_ + set_ * kMostSums * kNormWarps;
    set_ = 1 - set_;
    if (lane_index() == 0) {
      DIETMT_UNROLL
      for (int i = 0; i < kCount; ++i) slots[i * kNormWarps + warp_index()] = values[i];
    }
    sync_block();
    const int first = warp_index() / kRowWarps * kRowWarps;
    DIETMT_UNROLL
    for (int i = 0; i < kCount; ++i) {
      values[i] = 0.0f;
      DIETMT_UNROLL
      for (int w = 0; w < kRowWarps; ++w) values[i] += slots[i * kNormWarps + first + w];
    }
  }

  float* shared_;
  int set_ = 0;
};

/// A row as it lies in memory.
template <typename E>
struct RawRow {
  Words vectors[kNormVectors<E>];

  template <int kRowLanes>
  DIETMT_DEVICE void load(const void* data, int64_t row, int width, Rows rows) {
    DIETMT_UNROLL
    for (int v = 0; v < kNormVectors<E>; ++v) {
      vectors[v] = data == nullptr ? Words{}
                                   : load_columns(static_cast<const E*>(data) + row * width,
                                                  RowTeam<E, kRowLanes>::column(v), width, rows);
    }
  }
};

}  // namespace dietmt::kernels
