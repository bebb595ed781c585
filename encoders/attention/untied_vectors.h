// Relative keys and queries that do not meet position 0 (encoders/position/summary_reset.h). For
// i = 0 or j = 0 the products with the vectors,
//
//   c_ij = q_i . relative_keys[o] + k_j . relative_queries[o],
//
// are known from one token of each pair, because a sentence has only one position 0. So two more
// coordinates of queries and keys subtract them, and no backend knows of it:
//
//   q_i <- (q_i, [i = 0],  [i > 0] -c_i0)     k_j <- (k_j, -c_0j, [j = 0])
#pragma once

#include "encoders/position/score_terms.h"

namespace dietmt::encoders {

bool unties_vectors(const ScoreTerms& terms);

/// Moved vectors with more coordinates, and the terms that they meet.
struct UntiedVectors {
  at::Tensor queries;  // [N, H, Dh + kMoreCoordinates]
  at::Tensor keys;     // the same
  ScoreTerms terms;    // without terms that move vectors
};

/// Kernels of a GPU need head widths that are multiples of it.
constexpr int64_t kMoreCoordinates = 8;

/// x with zeros as more coordinates.
at::Tensor widen(const at::Tensor& x);

/// queries, keys: [N, H, Dh], before they move; positions: [N], from 0 in each sentence.
UntiedVectors untie_vectors(const at::Tensor& queries, const at::Tensor& keys,
                            const at::Tensor& positions, const ScoreTerms& terms);

}  // namespace dietmt::encoders
