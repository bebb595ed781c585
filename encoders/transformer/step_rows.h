// The rows of one step of cached decoding. A row is a hypothesis: row b * K + k is hypothesis k of
// sentence b. Each sentence is at its own position. A token's keys and values are written once,
// into a slot of the cache, and a hypothesis is a list of slots, so hypotheses share those of the
// tokens that they have in common.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dietmt::encoders {

/// Entries of `slots` and `source_slots` beyond the counts name any slots.
struct StepRows {
  at::Tensor positions;           // [B * K] int64: of the token that each row decodes
  at::Tensor counts;              // [B * K] int64: positions + 1
  at::Tensor slots;               // [B * K, T] int32: slots of the tokens of each row
  at::Tensor new_slots;           // [B * K] int64: slots[r, positions[r]]
  at::Tensor sentence_positions;  // [B] int64
  at::Tensor source_slots;        // [B, S] int32: slots of the memory of each sentence
  at::Tensor source_counts;       // [B] int64
};

}  // namespace dietmt::encoders
