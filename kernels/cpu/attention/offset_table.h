// Tables over clipped offsets, read and summed a vector of keys at a time.
//
// Keys j .. j + kLanes - 1 of one query have consecutive offsets, so their entries lie side by side
// except where both ends are clipped. Repeating each end kLanes times makes every read one
// unaligned load: the first offset is clamped to [lowest - kLanes, highest + 1], where all lanes
// hold the end.
#pragma once

#include <algorithm>

#include "kernels/cpu/buffer.h"
#include "kernels/cpu/vector.h"

namespace dietmt::kernels::DIETMT_ISA {

/// The offsets lowest .. lowest + width - 1, as far as they are told apart.
struct Band {
  int64_t lowest = 0;
  int64_t width = 0;

  /// The band of queries i .. i + queries - 1 and keys j .. j + keys - 1 in a table clipped at
  /// `clip`. Without queries or keys as with one, so that every band has an entry.
  static Band of(int64_t clip, int64_t i, int64_t queries, int64_t j, int64_t keys) {
    queries = std::max<int64_t>(queries, 1);
    keys = std::max<int64_t>(keys, 1);
    const int64_t lowest = std::clamp(j - i - queries + 1, -clip, clip);
    return {lowest, std::clamp(j + keys - 1 - i, -clip, clip) - lowest + 1};
  }

  /// Where the vector of entries that starts at `offset` begins, in a row with repeated ends.
  int64_t position(int64_t offset) const { return std::clamp(offset - lowest, -kLanes, width); }
  /// The entry of one offset.
  int64_t entry(int64_t offset) const { return std::clamp<int64_t>(offset - lowest, 0, width - 1); }
  /// Floats of a row with room for the repeated ends; entry 0 is at kLanes.
  int64_t row_size() const { return padded(width) + 2 * kLanes; }
};

/// Writes the repeated ends around entries 0 .. width - 1 at `row`.
inline void repeat_ends(float* row, int64_t width) {
  store(row - kLanes, broadcast(row[0]));
  store(row + width, broadcast(row[width - 1]));
}

/// The adjoint: adds the sums in the repeated ends to entries 0 and width - 1.
inline void fold_ends(float* row, int64_t width) {
  row[0] += sum_of(load(row - kLanes));
  row[width - 1] += sum_of(load(row + width));
}

/// scores[0:columns] += entries of the offsets first, first + 1, ...
inline void add_entries(const float* row, const Band& band, int64_t first, int64_t columns,
                        float* scores) {
  for (int64_t c = 0; c < columns; c += kLanes)
    add_to(scores + c, load(row + band.position(first + c)));
}

/// The adjoint: sums[entry] += scores[0:columns], columns beyond the keys being zero.
inline void sum_entries(const float* scores, const Band& band, int64_t first, int64_t columns,
                        float* sums) {
  for (int64_t c = 0; c < columns; c += kLanes)
    add_to(sums + band.position(first + c), load(scores + c));
}

}  // namespace dietmt::kernels::DIETMT_ISA
