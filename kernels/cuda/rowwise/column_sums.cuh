// sums[c] = sum over r of x[r,c] of kernels/device_kernels.h.
#pragma once

#include "kernels/cuda/rowwise/row_walk.cuh"

namespace dietmt::kernels {

/// grid: RowSplit::grid().
template <typename E>
struct ColumnSumsBlock {
  using Arguments = ColumnSumsArguments;
  static constexpr int kBlockThreads = kRowThreads;
  static constexpr int kBlocksTogether = kRowBlocksTogether;
  static constexpr int kTogether = 8;

  DIETMT_HOST_DEVICE static int64_t shared_bytes(const ColumnSumsArguments&) {
    return lane_columns_bytes(kVector<E>);
  }

  DIETMT_DEVICE static void run(const ColumnSumsArguments& arguments, BlockIndex block,
                                char* shared) {
    const DeviceColumnSums& call = arguments.call;
    const int width = static_cast<int>(call.width);
    const RowWalk walk(arguments.split, block);
    const int column = walk.unit * kVector<E>;
    float sums[kVector<E>] = {};
    const auto load = [&](int64_t row) {
      return load_columns(static_cast<const E*>(call.x) + row * call.row_stride, column, width,
                          arguments.rows);
    };
    walk.template each<kTogether>(call.rows, load, [&](int64_t, const Words& words) {
      float x[kVector<E>];
      unpack<E>(words, x);
      DIETMT_UNROLL
      for (int e = 0; e < kVector<E>; ++e) sums[e] += x[e];
    });
    auto* const numbers = reinterpret_cast<float*>(shared);
    store_lane_columns(arguments.reduction, 0, arguments.split, walk, block, sums, numbers);
    finish_columns(arguments.reduction, columns_of<kVector<E>>(arguments.split, block.y, width),
                   block.x, block.y,
                   reinterpret_cast<uint32_t*>(numbers + kRowThreads * kVector<E>));
  }
};

}  // namespace dietmt::kernels
