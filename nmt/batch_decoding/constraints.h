// The constraints on the next tokens of a batch, on tensors.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <limits>
#include <span>

#include "nmt/search/search_task.h"

namespace dietmt::nmt {

/// The log-probability of a token that cannot follow.
inline constexpr double kImpossible = -std::numeric_limits<double>::infinity();

/// Sets the log-probabilities [B * K, V] of token number `step` to minus infinity where `tasks` [B]
/// do not allow a token.
void constrain(at::Tensor& log_probs, std::span<const SearchTask* const> tasks, int64_t step,
               const SpecialTokens& special);

}  // namespace dietmt::nmt
