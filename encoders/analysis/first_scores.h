// The first layer's scores as a sum of four parts (Ke et al. 2021, TUPE, eq. 6; Wang et al. 2021,
// "On Position Embeddings in BERT", eq. 7), and the rank of the scores (Chen et al. 2021, DIET,
// theorem 1). With x_i = w_i + p_i, the word and what is added for its position,
//
//   score_ij = s w_i W_Q . w_j W_K + s w_i W_Q . p_j W_K + s p_i W_Q . w_j W_K + s p_i W_Q . p_j
//   W_K
//
// s is the softmax scale. Terms of the scores belong to the part whose vectors they meet: numbers
// for offsets or pairs to the fourth, s q_i . a_(j-i) to the second and the fourth. Words include
// the biases of the projections and the embedding of segment 0.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <vector>

#include "encoders/analysis/position_scores.h"

namespace dietmt::encoders {

/// In the order of the formula, query first.
inline constexpr std::array kScoreParts = {"word-word", "word-position", "position-word",
                                           "position-position"};

struct FirstScores {
  /// Means over the sentences: [4, H, n, n] double, by part.
  at::Tensor maps;
  /// Covariance of a part with the score divided by the variance of the score, over all pairs that
  /// attention sees in all sentences: [4, H] double. The shares of a head sum to 1; one can be
  /// negative. NaN if all scores are equal.
  at::Tensor shares;
  /// Ranks of one sentence's scores, by head: of the whole matrix, and without terms of the scores.
  /// By theorem 1 the second cannot exceed Dh, whatever is added to the embeddings; terms such as
  /// DIET-ABS add their own rank.
  std::vector<int64_t> rank, rank_without_terms;
};

/// For sentences of random words: in sentence s, position i holds word (s + i) mod W. words: [W,
/// D], their embeddings without positions, in random order. Tensors are undefined if keys are
/// compressed, or if positions depend on the words (CoPE).
FirstScores first_scores(const InspectedStack& stack, const at::Tensor& words, int64_t length);

}  // namespace dietmt::encoders
