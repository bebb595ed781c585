// The backends of attend() and the parts they share.
#pragma once

#include "encoders/attention/attention.h"

namespace dietmt::encoders {

at::Tensor attend_cpu(const AttentionCall& call);
at::Tensor attend_cuda(const AttentionCall& call);
at::Tensor attend_hopper(const AttentionCall& call);
at::Tensor attend_reference(const AttentionCall& call);
at::Tensor attend_sdpa(const AttentionCall& call);

/// Empty if attend_cuda can run the call.
std::vector<std::string> reasons_against_cuda(const AttentionCall& call);
/// Empty if attend_hopper can run the call.
std::vector<std::string> reasons_against_hopper(const AttentionCall& call);

/// One sentence of a call.
struct Sentence {
  at::Tensor q;                     // [H, T, Dh]
  at::Tensor k;                     // [H, S, Dh]
  at::Tensor v = {};                // [H, S, Dh]
  at::Tensor segments = {};         // [T], only with a segment bias
  at::Tensor dropout_factors = {};  // [H, T, S] or undefined
  bool causal = false;
};

/// The scores before masking: [H, T, S]. The vectors have moved (vector_terms.h).
at::Tensor sentence_scores(const Sentence& sentence, const ScoreTerms& terms);

/// Their softmax over the keys that each query sees: [H, T, S].
at::Tensor sentence_probabilities(const Sentence& sentence, const ScoreTerms& terms);

/// The term of contextual positions (encoders/position/encodings/cope.cpp): q_i . e[c_ij],
/// interpolated, with c_ij = min(sum of sigmoid(content_ik) over k = j .. i, P - 1). content:
/// [.., H, T, S], the scaled products; hidden: bool, broadcastable to it, true where a query must
/// not look, or undefined; q: [.., H, T, Dh]; table: [H|1, P, Dh]. Returns [.., H, T, S].
at::Tensor contextual_bias(const at::Tensor& content, const at::Tensor& hidden, const at::Tensor& q,
                           const at::Tensor& table);

}  // namespace dietmt::encoders
