// What the forward and the backward pass of attention share besides the scores.
#pragma once

#include "kernels/cpu/attention/scores.h"

namespace dietmt::kernels::DIETMT_ISA {

inline DropoutLanes dropout_lanes(const AttentionSizes& sizes) {
  return {sizes.dropout_key, dropout_threshold(sizes.dropout),
          static_cast<float>(1.0 / (1.0 - sizes.dropout))};
}

/// The index in [B, H, T, S] of a tile's row and a key, modulo 2^32 as dropout counts.
inline uint32_t element_index(const Scores& scores, int64_t row, int64_t key) {
  const AttentionSizes& sizes = scores.call.sizes;
  const int64_t block = scores.sentence * sizes.heads + scores.head;
  return static_cast<uint32_t>(
      (block * sizes.max_queries + scores.first_query + row) * sizes.max_keys + key);
}

}  // namespace dietmt::kernels::DIETMT_ISA
