// Column sums over all blocks of a grid in one kernel, in a fixed order whatever order the blocks
// finish in: an integer counter tells which block comes last and never affects the order of
// additions.
#pragma once

#include "kernels/cuda/rowwise/vectors.cuh"

namespace dietmt::kernels {

struct StripColumns {
  int64_t begin = 0;  // a multiple of 4
  int64_t end = 0;
};

/// Whether this block is the last of `count` to come here, so that it sees the writes of the
/// others.
DIETMT_DEVICE bool comes_last(uint32_t* ticket, int count, uint32_t* flag) {
  const auto last = static_cast<uint32_t>(count - 1);
  sync_block();
  if (thread_index() == 0) {
    fence_writes();
    *flag = take_ticket(ticket, last) == last ? 1U : 0U;
    fence_writes();
  }
  sync_block();
  return *flag != 0;
}

/// Four columns of `count` rows of partial sums.
DIETMT_DEVICE void add_four_columns(float (&sums)[4], const float* from, int64_t stride,
                                    int count) {
  constexpr int kTogether = 6;
  DIETMT_ROLLED
  for (int first = 0; first < count; first += kTogether) {
    Words words[kTogether];
    DIETMT_UNROLL
    for (int i = 0; i < kTogether; ++i) {
      if (first + i < count) words[i] = load_written(from + (first + i) * stride);
    }
    DIETMT_UNROLL
    for (int i = 0; i < kTogether; ++i) {
      if (first + i >= count) continue;
      float four[4];
      unpack<float>(words[i], four);
      DIETMT_UNROLL
      for (int e = 0; e < 4; ++e) sums[e] += four[e];
    }
  }
}

/// use(sum, column, four sums) of `count` partial sums from `first` on.
template <typename Use>
DIETMT_DEVICE void add_parts(const ColumnReduction& reduction, const StripColumns& columns,
                             int first, int count, const Use& use) {
  const auto fours = static_cast<int>((columns.end - columns.begin + 3) / 4);
  DIETMT_ROLLED
  for (int i = thread_index(); i < reduction.count * fours; i += kRowThreads) {
    const int sum = i / fours;
    if (reduction.sums[sum] == nullptr) continue;
    const int64_t column = columns.begin + 4 * (i % fours);
    float four[4] = {};
    add_four_columns(four, reduction.row(sum, first) + column, reduction.stride(), count);
    use(sum, column, four);
  }
}

/// Ends a block that has written row(sum, part) of the columns. `flags`: two words of shared
/// memory.
DIETMT_DEVICE void finish_columns(const ColumnReduction& reduction, const StripColumns& columns,
                                  int part, int strip, uint32_t* flags) {
  const int groups = reduction.groups();
  const int group = part / kPartsOfGroup;
  const int first = group * kPartsOfGroup;
  const int members =
      reduction.parts - first < kPartsOfGroup ? reduction.parts - first : kPartsOfGroup;
  uint32_t* tickets = reduction.tickets + strip * (1 + groups);
  if (!comes_last(tickets + 1 + group, members, flags)) return;
  const auto store = [&](int sum, int64_t column, const float(&four)[4]) {
    for (int e = 0; e < 4 && column + e < reduction.width; ++e) {
      float* const to = reduction.sums[sum] + column + e;
      *to = (reduction.add ? *to : 0.0f) + four[e];
    }
  };
  if (groups == 1) return add_parts(reduction, columns, first, members, store);
  add_parts(
      reduction, columns, first, members, [&](int sum, int64_t column, const float(&four)[4]) {
        store_words(reduction.row(sum, reduction.parts + group) + column, packed<float>(four));
      });
  if (!comes_last(tickets, groups, flags + 1)) return;
  add_parts(reduction, columns, reduction.parts, groups, store);
}

}  // namespace dietmt::kernels
