// The backends behind attend() and the parts they share.
#pragma once

#include "encoders/attention/attention.h"

namespace dietmt::encoders {

at::Tensor attend_cpu(const AttentionCall& call);
at::Tensor attend_cuda(const AttentionCall& call);
at::Tensor attend_reference(const AttentionCall& call);
at::Tensor attend_sdpa(const AttentionCall& call);

/// Empty where attend_cuda can run the call.
std::vector<std::string> reasons_against_cuda(const AttentionCall& call);

/// One sentence of a call, for the definition of its scores.
struct Sentence {
  at::Tensor q;                     // [H, T, Dh]
  at::Tensor k;                     // [H, S, Dh]
  at::Tensor v = {};                // [H, S, Dh]
  at::Tensor segments = {};         // [T], only with a segment bias
  at::Tensor dropout_factors = {};  // [H, T, S] or undefined
  bool causal = false;
};

/// What enters the softmax, before masking: [H, T, S]. Vectors have moved (vector_terms.h).
at::Tensor sentence_scores(const Sentence& sentence, const ScoreTerms& terms);

/// The softmax of these over the keys that each query sees: [H, T, S].
at::Tensor sentence_probabilities(const Sentence& sentence, const ScoreTerms& terms);

/// The dropout factors 0 or 1 / (1 - p) of probabilities [B, H, T, S], on the device and in the
/// dtype of `like`.
at::Tensor dropout_factors(uint64_t key, double p, at::IntArrayRef sizes, const at::Tensor& like);

}  // namespace dietmt::encoders
