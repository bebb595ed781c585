// Estimates of the quality of translations, for requests that ask for them. The program provides
// the model; nothing here includes LibTorch.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "service/scheduling/patience.h"
#include "service/scheduling/turns.h"

namespace dietmt::service {

struct TranslatedPair {
  std::string source, translation;
};

class QualityEstimates {
 public:
  /// A score for each pair. Only one thread calls it at a time.
  using Estimate = std::function<std::vector<double>(std::span<const TranslatedPair>)>;

  /// So many pairs go through the model in a turn.
  static constexpr size_t kPairsOfTurn = 8;

  explicit QualityEstimates(Estimate estimate) : estimate_(std::move(estimate)) {}

  /// A score for each pair. Clients take turns at the model, each for a few pairs, so a large
  /// request does not hold up the others. Thread-safe. Throws DeadlineExceeded and ClientGone, and
  /// what the estimate throws.
  std::vector<double> of(std::span<const TranslatedPair> pairs, const Patience& patience);

 private:
  const Estimate estimate_;
  Turns turns_{1};
};

/// Throws HttpError unless there is something that estimates.
void require_estimates(const std::shared_ptr<QualityEstimates>& estimates);

}  // namespace dietmt::service
