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

/// What enters the softmax, before masking, for one sentence. q: [H, T, Dh]; k: [H, S, Dh];
/// segments: [T], or undefined without a segment bias. Returns [H, T, S].
at::Tensor sentence_scores(const at::Tensor& q, const at::Tensor& k, const at::Tensor& segments,
                           const ScoreTerms& terms);

/// The dropout factors 0 or 1 / (1 - p) of probabilities [B, H, T, S], on the device and in the
/// dtype of `like`.
at::Tensor dropout_factors(uint64_t key, double p, at::IntArrayRef sizes, const at::Tensor& like);

}  // namespace dietmt::encoders
