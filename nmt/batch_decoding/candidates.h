// The tokens that may continue the hypotheses of a batch of tensors, and the best of them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "nmt/search/beam.h"
#include "nmt/search/search_task.h"

namespace dietmt::nmt {

/// The log-probability of a token that cannot follow.
inline constexpr double kImpossible = -std::numeric_limits<double>::infinity();

/// Sets log-probabilities [B * K, V] at `step` to minus infinity for all tokens that `tasks` [B] do
/// not allow.
void constrain(at::Tensor& log_probs, std::span<const SearchTask* const> tasks, int64_t step,
               const SpecialTokens& special);

/// For each of B sentences, the `count` candidates with the largest sums, best first; fewer if the
/// others are impossible (minus infinity). log_probs: [B * K, V] float; sums: [B * K].
std::vector<std::vector<Candidate>> best_candidates(const at::Tensor& log_probs,
                                                    std::span<const double> sums, int64_t sentences,
                                                    int64_t count);

}  // namespace dietmt::nmt
