// The best continuations of the hypotheses of each sentence of a batch of tensors.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "nmt/search/selection.h"

namespace dietmt::nmt {

/// For each of B sentences the `count` candidates with the largest sums, best first; fewer where
/// the others are impossible (minus infinity). log_probs: [B * K, V] float; sums: [B * K].
std::vector<std::vector<Candidate>> best_candidates(const at::Tensor& log_probs,
                                                    std::span<const double> sums, int64_t sentences,
                                                    int64_t count);

}  // namespace dietmt::nmt
