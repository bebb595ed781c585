// The gradient of an embedding table. The rows come in the order of their ids, so those of an id
// are a run of places. Chunks of places are added up side by side; a run within a chunk goes to the
// table, and of a run that crosses chunks each leaves a partial sum. The second kernel adds those,
// in their order.
#pragma once

#include "kernels/cuda/rowwise/row_walk.cuh"

namespace dietmt::kernels {

DIETMT_DEVICE int64_t id_at(const DeviceEmbedBackward& call, int64_t place) {
  return call.ids[call.order[place]];
}

/// A thread's columns.
template <typename E>
struct RunSums {
  float of[kVector<E>] = {};

  DIETMT_DEVICE void add(const float (&numbers)[kVector<E>]) {
    DIETMT_UNROLL
    for (int e = 0; e < kVector<E>; ++e) of[e] += numbers[e];
  }

  DIETMT_DEVICE void load_partial(const float* from) {
    load_parameter(of, from, 0, kVector<E>, Rows::kVectors);
  }

  DIETMT_DEVICE void store_partial(float* to) const {
    DIETMT_UNROLL
    for (int e = 0; e < kVector<E>; e += 4) {
      store_words(to + e, packed<float>({of[e], of[e + 1], of[e + 2], of[e + 3]}));
    }
  }

  /// To `partial`, or added to the row of the id where that is null.
  DIETMT_DEVICE void store(const EmbedBackwardArguments& arguments, float* partial, int64_t id,
                           int column) const {
    if (partial != nullptr) return store_partial(partial + column);
    add_to_table(arguments, id, column);
  }

  DIETMT_DEVICE void add_to_table(const EmbedBackwardArguments& arguments, int64_t id,
                                  int column) const {
    const int width = static_cast<int>(arguments.call.width);
    const auto scale = static_cast<float>(arguments.call.scale);
    float* const row = arguments.call.grad_table + id * width;
    float total[kVector<E>];
    load_parameter(total, row, column, width, arguments.rows);
    DIETMT_UNROLL
    for (int e = 0; e < kVector<E>; e += 4) {
      float four[4];
      DIETMT_UNROLL
      for (int i = 0; i < 4; ++i) four[i] = total[e + i] + scale * of[e + i];
      store_columns(row, column + e, width, arguments.rows, packed<float>(four));
    }
  }
};

/// Each lane adds up a chunk. grid: RowSplit::grid().
template <typename E>
struct EmbedBackwardBlock {
  using Arguments = EmbedBackwardArguments;
  static constexpr int kBlockThreads = kRowThreads;
  static constexpr int kBlocksTogether = kRowBlocksTogether;
  static constexpr int kTogether = 4;

  DIETMT_HOST_DEVICE static int64_t shared_bytes(const EmbedBackwardArguments&) { return 0; }

  struct Places {
    int64_t rows[kTogether];
    int64_t ids[kTogether];
    Words words[kTogether];

    DIETMT_DEVICE void load(const EmbedBackwardArguments& arguments, int64_t place, int count,
                            int column) {
      const DeviceEmbedBackward& call = arguments.call;
      const int width = static_cast<int>(call.width);
      DIETMT_UNROLL
      for (int i = 0; i < kTogether; ++i) {
        if (i < count) rows[i] = call.order[place + i];
      }
      DIETMT_UNROLL
      for (int i = 0; i < kTogether; ++i) {
        if (i >= count) continue;
        ids[i] = call.ids[rows[i]];
        words[i] = load_columns(static_cast<const E*>(call.grad_output) + rows[i] * width, column,
                                width, arguments.rows);
      }
    }
  };

  DIETMT_DEVICE static void run(const EmbedBackwardArguments& arguments, BlockIndex block, char*) {
    const DeviceEmbedBackward& call = arguments.call;
    const RowWalk walk(arguments.split, block);
    const int64_t chunk = walk.first;
    const int64_t begin = chunk * kPlacesOfChunk;
    if (walk.idle || begin >= call.rows) return;
    const int64_t end = begin + kPlacesOfChunk < call.rows ? begin + kPlacesOfChunk : call.rows;
    const int column = walk.unit * kVector<E>;
    const DropoutMask mask(arguments.dropout);
    int64_t id = id_at(call, begin);
    const int64_t before = begin > 0 ? id_at(call, begin - 1) : -1;
    const int64_t after = end < call.rows ? id_at(call, end) : -1;
    float* partial = before == id ? arguments.arriving(chunk) : nullptr;
    RunSums<E> sums;
    DIETMT_ROLLED
    for (int64_t place = begin; place < end; place += kTogether) {
      const int count = static_cast<int>(end - place);
      Places places;
      places.load(arguments, place, count, column);
      DIETMT_UNROLL
      for (int i = 0; i < kTogether; ++i) {
        if (i >= count) continue;
        if (places.ids[i] != id) {
          sums.store(arguments, partial, id, column);
          sums = {};
          partial = nullptr;
          id = places.ids[i];
        }
        float grad[kVector<E>];
        unpack<E>(places.words[i], grad);
        mask.apply(grad, static_cast<uint32_t>(places.rows[i] * call.width + column));
        sums.add(grad);
      }
    }
    if (partial == nullptr && after == id) partial = arguments.leaving(chunk);
    sums.store(arguments, partial, id, column);
  }
};

/// Adds up the run that begins in a chunk and leaves it, if there is one. grid: chunks but the
/// last, strips.
template <typename E>
struct EmbedCrossingBlock {
  using Arguments = EmbedBackwardArguments;
  static constexpr int kBlockThreads = kRowThreads;
  static constexpr int kBlocksTogether = kRowBlocksTogether;
  static constexpr int kTogether = 4;

  DIETMT_HOST_DEVICE static int64_t shared_bytes(const EmbedBackwardArguments&) {
    return int64_t{kRowThreads} * kVector<E> * int64_t{sizeof(float)};
  }

  /// The thread's share: chunks first + lane, first + lane + lanes, ..
  DIETMT_DEVICE static void add_share(const EmbedBackwardArguments& arguments, const RowWalk& walk,
                                      int64_t first, int64_t id, RunSums<E>& sums) {
    const int column = walk.unit * kVector<E>;
    const int lanes = arguments.split.lanes;
    bool goes_on = true;
    DIETMT_ROLLED
    for (int64_t chunk = first + walk.lane; goes_on; chunk += kTogether * lanes) {
      RunSums<E> parts[kTogether];
      bool within[kTogether];
      DIETMT_UNROLL
      for (int i = 0; i < kTogether; ++i) {
        const int64_t place = (chunk + i * lanes) * kPlacesOfChunk;
        within[i] = place < arguments.call.rows && id_at(arguments.call, place) == id;
      }
      DIETMT_UNROLL
      for (int i = 0; i < kTogether; ++i) {
        if (within[i]) parts[i].load_partial(arguments.arriving(chunk + i * lanes) + column);
      }
      DIETMT_UNROLL
      for (int i = 0; i < kTogether; ++i) sums.add(parts[i].of);
      goes_on = within[kTogether - 1];
    }
  }

  DIETMT_DEVICE static void run(const EmbedBackwardArguments& arguments, BlockIndex block,
                                char* memory) {
    const DeviceEmbedBackward& call = arguments.call;
    const int64_t chunk = block.x;
    const int64_t begin = chunk * kPlacesOfChunk;
    const int64_t end = begin + kPlacesOfChunk;
    const int64_t id = id_at(call, end);
    if (id_at(call, end - 1) != id || (begin > 0 && id_at(call, begin - 1) == id)) return;
    const RowWalk walk(arguments.split, block);
    const int column = walk.unit * kVector<E>;
    auto* const shared = reinterpret_cast<float*>(memory) + thread_index() * kVector<E>;
    RunSums<E> sums;
    if (!walk.idle) {
      if (walk.lane == 0) sums.load_partial(arguments.leaving(chunk) + column);
      add_share(arguments, walk, chunk + 1, id, sums);
      sums.store_partial(shared);
    }
    sync_block();
    if (walk.idle || walk.lane != 0) return;
    DIETMT_ROLLED
    for (int lane = 1; lane < arguments.split.lanes; ++lane) {
      RunSums<E> share;
      share.load_partial(shared + lane * arguments.split.per_strip * kVector<E>);
      sums.add(share.of);
    }
    sums.add_to_table(arguments, id, column);
  }
};

}  // namespace dietmt::kernels
