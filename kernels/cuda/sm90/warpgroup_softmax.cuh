// The running softmax (Milakov and Gimelshein 2018) of a warpgroup's rows.
#pragma once

#include <limits>

#include "kernels/cuda/sm90/warpgroup_tile.cuh"

namespace dietmt::kernels {

struct WarpgroupSoftmax {
  float maximum[kRowSlots];
  float sum[kRowSlots];  // of only the columns of this thread

  DIETMT_DEVICE void clear() {
    DIETMT_UNROLL
    for (int slot = 0; slot < kRowSlots; ++slot) {
      maximum[slot] = -std::numeric_limits<float>::infinity();
      sum[slot] = 0.0f;
    }
  }

  /// Scores become 2^(scale (score - maximum)). `factor` scales the output so far to the new
  /// maximum.
  DIETMT_DEVICE void update(WarpgroupScores& scores, float scale, float (&factor)[kRowSlots]) {
    float largest[kRowSlots] = {maximum[0], maximum[1]};
    scores.for_each(
        [&](int, int, float& score, int slot) { largest[slot] = fmaxf(score, largest[slot]); });
    float shift[kRowSlots];
    DIETMT_UNROLL
    for (int slot = 0; slot < kRowSlots; ++slot) {
      largest[slot] = row_maximum(largest[slot]);
      // Rows that see no key yet keep the maximum -infinity, which must not be subtracted. The
      // factor is exactly 1 while the maximum stays, so that no rounding adds up over the tiles.
      const bool empty = largest[slot] == -std::numeric_limits<float>::infinity();
      const float seen = empty ? 0.0f : largest[slot];
      shift[slot] = seen * scale;
      factor[slot] = exp2_fast((maximum[slot] - seen) * scale);
      maximum[slot] = largest[slot];
      sum[slot] *= factor[slot];
    }
    scores.for_each([&](int, int, float& score, int slot) {
      score = exp2_fast(fmaf(score, scale, -shift[slot]));
      sum[slot] += score;
    });
  }
};

}  // namespace dietmt::kernels
