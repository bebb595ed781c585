// The best continuations of the hypotheses of each sentence, by partial selection.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace dietmt::nmt {

/// Hypothesis `beam` of a sentence, continued by `token`.
struct Candidate {
  double sum = 0.0;       // of the log-probabilities of the continued hypothesis
  float log_prob = 0.0F;  // of the token
  int32_t beam = 0;
  int32_t token = 0;

  /// Larger sums first; equal ones by beam, then token, so that a search is deterministic.
  bool before(const Candidate& other) const;
};

/// For each of B sentences the `count` candidates with the largest sums, best first; fewer where
/// the others are impossible (minus infinity). log_probs: [B * K, V] float; sums: [B * K].
std::vector<std::vector<Candidate>> best_candidates(const at::Tensor& log_probs,
                                                    std::span<const double> sums, int64_t sentences,
                                                    int64_t count);

}  // namespace dietmt::nmt
