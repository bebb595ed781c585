// Rotary positions (Su et al. 2021) of kernels/device_kernels.h. A thread turns kVector pairs of a
// head: vectors m and m + head_width / 2 of a halved head, else two neighbouring vectors.
#pragma once

#include "kernels/cuda/rowwise/row_walk.cuh"

namespace dietmt::kernels {

/// grid: RowSplit::grid().
template <typename E>
struct RotateBlock {
  using Arguments = RotateArguments;
  static constexpr int kBlockThreads = kRowThreads;
  static constexpr int kBlocksTogether = kRowBlocksTogether;
  static constexpr int kTogether = 1;
  static constexpr int kPairs = kVector<E>;

  DIETMT_HOST_DEVICE static int64_t shared_bytes(const RotateArguments&) { return 0; }

  struct Raw {
    Words first, second;
    float cosines[kPairs];
    float sines[kPairs];
  };

  /// Where a thread's numbers lie in a head.
  struct Place {
    int head;
    int pair;   // the first of its pairs
    int first;  // columns of its vectors
    int second;
    int end;  // of the first vector's columns
    bool halved;
  };

  DIETMT_DEVICE static Place place_of(const RotateArguments& arguments, int unit) {
    const auto width = static_cast<int>(arguments.call.head_width);
    Place place;
    place.head = unit / arguments.groups;
    place.pair = unit % arguments.groups * kPairs;
    place.halved = (arguments.call.halved_heads >> place.head & 1U) != 0;
    place.first = place.halved ? place.pair : 2 * place.pair;
    place.second = place.halved ? place.pair + width / 2 : 2 * place.pair + kPairs;
    place.end = place.halved ? width / 2 : width;
    return place;
  }

  DIETMT_DEVICE static Raw load(const RotateArguments& arguments, const Place& place, int64_t row) {
    const Rotate& call = arguments.call;
    const auto width = static_cast<int>(call.head_width);
    const E* const x =
        static_cast<const E*>(call.x) + row * call.row_stride + int64_t{place.head} * width;
    const int64_t position = call.positions == nullptr ? 0 : call.positions[row];
    const int64_t table_head = call.table_heads == 1 ? 0 : place.head;
    const float* const cosines =
        call.table + (position * 2 * call.table_heads + table_head) * (width / 2);
    const float* const sines = cosines + call.table_heads * (width / 2);
    Raw raw;
    raw.first = load_columns(x, place.first, place.end, arguments.rows);
    raw.second = load_columns(x, place.second, width, arguments.rows);
    load_parameter(raw.cosines, cosines, place.pair, width / 2, arguments.rows);
    load_parameter(raw.sines, sines, place.pair, width / 2, arguments.rows);
    return raw;
  }

  DIETMT_DEVICE static void turn(float& a, float& b, float cosine, float sine) {
    const float before = a;
    a = before * cosine - b * sine;
    b = b * cosine + before * sine;
  }

  DIETMT_DEVICE static void store(const RotateArguments& arguments, const Place& place, int64_t row,
                                  const Raw& raw) {
    const Rotate& call = arguments.call;
    const auto width = static_cast<int>(call.head_width);
    const float direction = call.back ? -1.0f : 1.0f;
    float first[kPairs];
    float second[kPairs];
    unpack<E>(raw.first, first);
    unpack<E>(raw.second, second);
    DIETMT_UNROLL
    for (int p = 0; p < kPairs; ++p) {
      const float sine = direction * raw.sines[p];
      if (place.halved) {
        turn(first[p], second[p], raw.cosines[p], sine);
      } else if (p < kPairs / 2) {
        turn(first[2 * p], first[2 * p + 1], raw.cosines[p], sine);
      } else {
        turn(second[2 * p - kPairs], second[2 * p + 1 - kPairs], raw.cosines[p], sine);
      }
    }
    E* const output =
        static_cast<E*>(call.output) + (row * call.heads + place.head) * call.head_width;
    store_columns(output, place.first, place.end, arguments.rows, packed<E>(first));
    store_columns(output, place.second, width, arguments.rows, packed<E>(second));
  }

  DIETMT_DEVICE static void run(const RotateArguments& arguments, BlockIndex block, char*) {
    const RowWalk walk(arguments.split, block);
    const Place place = place_of(arguments, walk.unit);
    walk.template each<kTogether>(
        arguments.call.rows, [&](int64_t row) { return load(arguments, place, row); },
        [&](int64_t row, const Raw& raw) { store(arguments, place, row, raw); });
  }
};

}  // namespace dietmt::kernels
