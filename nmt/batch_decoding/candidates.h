// The tokens that may continue the hypotheses of a batch of tensors, and the best of them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "nmt/search/beam.h"
#include "nmt/search/repetition.h"
#include "nmt/search/search_task.h"

namespace dietmt::nmt {

/// The log-probability of a token that cannot follow.
inline constexpr double kImpossible = -std::numeric_limits<double>::infinity();

/// The values as an index into log-probabilities, on their device.
at::Tensor index_of(const std::vector<int64_t>& values, const at::Tensor& log_probs);

/// The repeated tokens of some of the rows of a step.
struct RepeatedInRows {
  std::vector<int64_t> rows;  // that have blocked tokens
  std::vector<int64_t> blocked_rows, blocked_tokens;
  std::vector<int64_t> penalized_rows, penalized_tokens;

  void add(int64_t row, const RepeatedTokens& repeated);
};

/// Sets log-probabilities [B * K, V] at `step` to minus infinity for all tokens that `tasks` [B] do
/// not allow.
void constrain(at::Tensor& log_probs, std::span<const SearchTask* const> tasks, int64_t step,
               const SpecialTokens& special);

/// The same, with limits on repetition. A row with no other token may end before the task's
/// shortest length. `repeated` has no rows of tasks with a forced token.
void constrain(at::Tensor& log_probs, std::span<const SearchTask* const> tasks, int64_t step,
               const SpecialTokens& special, const RepetitionLimits& limits,
               const RepeatedInRows& repeated);

/// For each of B sentences, the `count` candidates with the largest sums, best first; fewer if the
/// others are impossible (minus infinity). log_probs: [B * K, V] float; sums: [B * K].
std::vector<std::vector<Candidate>> best_candidates(const at::Tensor& log_probs,
                                                    std::span<const double> sums, int64_t sentences,
                                                    int64_t count);

}  // namespace dietmt::nmt
