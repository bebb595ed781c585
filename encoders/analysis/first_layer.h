// The first layer's queries and keys in one sentence, and the parts of them that come from words
// and from positions. For the analyses of this folder.
#pragma once

#include <ATen/core/Tensor.h>

#include "encoders/analysis/position_scores.h"

namespace dietmt::encoders {

/// Vectors of one sentence: [T, H, Dh] each.
struct SentenceVectors {
  at::Tensor queries;
  at::Tensor keys;
};

/// Their sum are the first layer's vectors.
struct VectorParts {
  SentenceVectors words;  // with all biases
  SentenceVectors positions;
};

/// 0 .. length - 1 on the device of `like`.
at::Tensor positions_of(int64_t length, const at::Tensor& like);

/// x with positions and segments of one sentence, all of segment 0: [T, D].
at::Tensor embed(const InspectedStack& stack, const at::Tensor& x);

/// What `positions` add to the embeddings `words`, both [T, D]. Norms before the first scores
/// divide both parts by the deviation of their sum, so the parts add up exactly.
VectorParts first_layer_parts(const InspectedStack& stack, const at::Tensor& words,
                              const at::Tensor& positions);

/// The first layer's queries and keys of embeddings with positions, x: [T, D].
SentenceVectors first_layer_vectors(const InspectedStack& stack, const at::Tensor& x);

/// What the first layer's projections make of positions [T, D], without biases and norms.
SentenceVectors projected_positions(const InspectedStack& stack, const at::Tensor& positions);

/// Scores of these vectors before masking: [H, T, S]; undefined if keys are compressed.
at::Tensor scores_of(const SentenceVectors& vectors, const ScoreTerms& terms, bool causal);

}  // namespace dietmt::encoders
