// Embeddings + positions + dropout of kernels/device_kernels.h, and the gradient of the table by
// runs of equal ids in sorted order.
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
        if (mask.drops()) sum[e] = mask.apply(sum[e], index + static_cast<uint32_t>(e));
      }
      store_columns(static_cast<E*>(call.output) + row * width, column, width, arguments.rows,
                    packed<E>(sum));
    });
  }
};

/// grid: places / kPlacesOfBlock, strips.
template <typename E>
struct EmbedBackwardBlock {
  using Arguments = EmbedBackwardArguments;
  static constexpr int kBlockThreads = kRowThreads;
  static constexpr int kTogether = 4;

  DIETMT_HOST_DEVICE static int64_t shared_bytes(const EmbedBackwardArguments&) {
    return lane_columns_bytes(kVector<E>);
  }

  DIETMT_DEVICE static int64_t id_at(const DeviceEmbedBackward& call, int64_t place) {
    return call.ids[call.order[place]];
  }

  /// The thread's share of the run of `id` that begins at `begin`: places begin + lane,
  /// begin + lane + lanes, ..
  DIETMT_DEVICE static void add_share(const EmbedBackwardArguments& arguments, const RowWalk& walk,
                                      const DropoutMask& mask, int64_t begin, int64_t id,
                                      float (&sums)[kVector<E>]) {
    const DeviceEmbedBackward& call = arguments.call;
    const int width = static_cast<int>(call.width);
    const int column = walk.unit * kVector<E>;
    const int lanes = arguments.split.lanes;
    bool within = !walk.idle;
    for (int64_t place = begin + walk.lane; within; place += kTogether * lanes) {
      int64_t rows[kTogether];
      Words words[kTogether];
      DIETMT_UNROLL
      for (int i = 0; i < kTogether; ++i) {
        within = within && place + i * lanes < call.rows;
        rows[i] = within ? call.order[place + i * lanes] : -1;
        within = within && call.ids[rows[i]] == id;
        if (!within) rows[i] = -1;
        if (!within) continue;
        words[i] = load_columns(static_cast<const E*>(call.grad_output) + rows[i] * width, column,
                                width, arguments.rows);
      }
      DIETMT_UNROLL
      for (int i = 0; i < kTogether; ++i) {
        if (rows[i] < 0) continue;
        float grad[kVector<E>];
        unpack<E>(words[i], grad);
        const auto index = static_cast<uint32_t>(rows[i] * width + column);
        DIETMT_UNROLL
        for (int e = 0; e < kVector<E>; ++e) {
          if (mask.drops()) grad[e] = mask.apply(grad[e], index + static_cast<uint32_t>(e));
          sums[e] += grad[e];
        }
      }
    }
  }

  /// Adds the sums of all lanes to the row of `id`.
  DIETMT_DEVICE static void add_to_table(const EmbedBackwardArguments& arguments, BlockIndex block,
                                         int64_t id, const float (&sums)[kVector<E>],
                                         float* shared) {
    const DeviceEmbedBackward& call = arguments.call;
    const RowSplit& split = arguments.split;
    sync_block();
    DIETMT_UNROLL
    for (int e = 0; e < kVector<E>; ++e) shared[thread_index() * kVector<E> + e] = sums[e];
    sync_block();
    const ColumnRange columns = columns_of<kVector<E>>(split, block.y, call.width);
    for (int64_t column = columns.begin + thread_index(); column < columns.end;
         column += kRowThreads) {
      float total = 0.0f;
      for (int lane = 0; lane < split.lanes; ++lane) {
        total += shared[lane * split.per_strip * kVector<E> + (column - columns.begin)];
      }
      call.grad_table[id * call.width + column] += static_cast<float>(call.scale) * total;
    }
  }

  DIETMT_DEVICE static void run(const EmbedBackwardArguments& arguments, BlockIndex block,
                                char* shared) {
    const DeviceEmbedBackward& call = arguments.call;
    const RowWalk walk(arguments.split, block);
    const DropoutMask mask(arguments.dropout);
    const int64_t first = int64_t{block.x} * kPlacesOfBlock;
    int64_t before = first == 0 ? -1 : id_at(call, first - 1);
    for (int64_t place = first; place < first + kPlacesOfBlock && place < call.rows; ++place) {
      const int64_t id = id_at(call, place);
      if (id != before) {
        float sums[kVector<E>] = {};
        add_share(arguments, walk, mask, place, id, sums);
        add_to_table(arguments, block, id, sums, reinterpret_cast<float*>(shared));
      }
      before = id;
    }
  }
};

}  // namespace dietmt::kernels
