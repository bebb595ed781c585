// Attention of one step of cached decoding. Keys and values lie in slots of a cache, and a group of
// queries names the slots that it sees: the tokens of its hypothesis in self-attention, those of
// its sentence in cross-attention, where the hypotheses of a sentence are one group. Each group
// stands at its own position. Scores are those of encoders/position/score_terms.h.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "encoders/position/score_terms.h"

namespace dietmt::encoders {

/// The terms of a layer for positions 0 .. L - 1, which all steps read. Tables that change scores
/// or values are fp32 and contiguous.
struct StepTerms {
  ScoreTerms scores;
  at::Tensor head_scales;  // [H, 1, 1] float; undefined if all heads have the same scale
};

/// On the device of `like`. Layers that share features share their product (multiply_features).
std::vector<StepTerms> step_terms(const std::vector<ScoreTerms>& layers, const at::Tensor& like);

/// S is at least the most keys that a group sees. Rows of `slots` name valid slots everywhere, and
/// the cache holds finite numbers everywhere, so that hidden keys add nothing.
struct StepAttentionCall {
  at::Tensor queries;    // [G * K, H, Dh]; the vectors have moved (vector_terms.h)
  at::Tensor keys;       // [slots, H, Dh]
  at::Tensor values;     // [slots, H, Dh]
  at::Tensor slots;      // [G, S] int32, each row contiguous
  at::Tensor counts;     // [G] int64: the keys that a group sees
  at::Tensor positions;  // [G] int64: of its queries
  const StepTerms& terms;
  // In self-attention, of the last token of each group: they are written to the cache first.
  at::Tensor new_keys = {};    // [G, H, Dh]
  at::Tensor new_values = {};  // [G, H, Dh]
  at::Tensor new_slots = {};   // [G] int64
};

/// By the device's own kernel, if it has one for the call. Returns [G * K, H, Dh].
at::Tensor attend_step(const StepAttentionCall& call);

/// Whether it does, for queries [rows, H, Dh] of this type and device. The work then depends on
/// the numbers of rows and groups, not on S.
bool steps_by_kernel(const StepTerms& terms, const at::Tensor& queries);

}  // namespace dietmt::encoders
