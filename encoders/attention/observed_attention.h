// The attention probabilities of one layer in a pass over packed sentences, with gradients: for
// word alignments, and for training that guides them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "encoders/attention/packing.h"
#include "encoders/position/score_terms.h"

namespace dietmt::encoders {

/// The cross-attention of `layer` that a decoder's forward pass records.
struct ObservedAttention {
  int64_t layer = 0;   // chosen by the caller, from 0
  at::Tensor queries;  // [N, H, Dh]
  at::Tensor keys;     // [M, H, Dh]
  ScoreTerms terms;
};

/// Attention of head `head`, or with -1 the mean of all heads: one float tensor [T, S] for each
/// sentence, whose rows sum to 1. By the definition (sentence_probabilities()) and without dropout.
/// Throws ConfigError if keys are compressed, because columns are not tokens then.
std::vector<at::Tensor> attention_probabilities(const ObservedAttention& observed,
                                                const Packing& queries, const Packing& keys,
                                                int64_t head);

}  // namespace dietmt::encoders
