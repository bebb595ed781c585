// Beam search with terms that translations must contain (nmt/search/constrained_step.h), for the
// sentences of a batch of tensors.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nmt/search/beam.h"
#include "nmt/search/constrained_step.h"

namespace dietmt::nmt {

class ConstrainedBeams {
 public:
  /// Keeps references to all arguments. Tasks without constraints are not touched.
  ConstrainedBeams(std::span<const SearchTask> tasks, const SpecialTokens& special,
                   const SearchOptions& options);

  bool any() const { return any_; }

  /// Reads the log-probabilities [B * K, V] of the tokens that constraints want, before rules
  /// change them. `beams`: those of B sentences, and `tasks` their indices.
  void read_wanted(const at::Tensor& log_probs, std::span<const Beam* const> beams,
                   std::span<const size_t> tasks, int64_t step);

  /// Replaces the candidates [B] of the sentences that have constraints. log_probs: [B * K, V],
  /// changed by rules; the other arguments as before.
  void choose(const at::Tensor& log_probs, std::span<const Beam* const> beams,
              std::span<const size_t> tasks, std::vector<std::vector<Candidate>>& candidates);

 private:
  const SpecialTokens& special_;
  const int64_t beam_;
  bool any_ = false;
  std::vector<std::optional<ConstrainedStep>> steps_;  // of the tasks
};

}  // namespace dietmt::nmt
