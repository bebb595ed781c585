// Embeddings + positions + dropout of kernels/device_kernels.h.
#pragma once

#include "kernels/cuda/rowwise/row_walk.cuh"

namespace dietmt::kernels {

/// grid: RowSplit::grid().
template <typename E>
struct EmbedBlock {
  using Arguments = EmbedArguments;
  static constexpr int kBlockThreads = kRowThreads;
  static constexpr int kBlocksTogether = kRowBlocksTogether;
  static constexpr int kTogether = 2;

  DIETMT_HOST_DEVICE static int64_t shared_bytes(const EmbedArguments&) { return 0; }

  struct Raw {
    float token[kVector<E>];
    float position[kVector<E>];
  };

  DIETMT_DEVICE static void run(const EmbedArguments& arguments, BlockIndex block, char*) {
    const DeviceEmbed& call = arguments.call;
    const int width = static_cast<int>(call.width);
    const RowWalk walk(arguments.split, block);
    const DropoutMask mask(arguments.dropout);
    const int column = walk.unit * kVector<E>;
    const auto load = [&](int64_t row) {
      Raw raw;
      load_parameter(raw.token, call.table + call.ids[row] * width, column, width, arguments.rows);
      const float* const position = call.position_table == nullptr
                                        ? nullptr
                                        : call.position_table + call.positions[row] * width;
      load_parameter(raw.position, position, column, width, arguments.rows);
      return raw;
    };
    walk.template each<kTogether>(call.rows, load, [&](int64_t row, const Raw& raw) {
      float sum[kVector<E>];
      const auto index = static_cast<uint32_t>(row * width + column);
      DIETMT_UNROLL
      for (int e = 0; e < kVector<E>; ++e) {
        sum[e] = static_cast<float>(call.scale) * raw.token[e] + raw.position[e];
      }
      mask.apply(sum, index);
      store_columns(static_cast<E*>(call.output) + row * width, column, width, arguments.rows,
                    packed<E>(sum));
    });
  }
};

}  // namespace dietmt::kernels
