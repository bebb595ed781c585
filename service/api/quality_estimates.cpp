#include "service/api/quality_estimates.h"

#include <algorithm>

namespace dietmt::service {

std::vector<double> QualityEstimates::of(std::span<const TranslatedPair> pairs,
                                         const Patience& patience) {
  std::vector<double> scores;
  while (!pairs.empty()) {
    const auto some = pairs.first(std::min(pairs.size(), kPairsOfTurn));
    size_t bytes = 0;
    for (const TranslatedPair& pair : some) bytes += pair.source.size() + pair.translation.size();
    const Turns::Turn turn = turns_.take(bytes, patience);
    patience.check();
    const std::vector<double> found = estimate_(some);
    scores.insert(scores.end(), found.begin(), found.end());
    pairs = pairs.subspan(some.size());
  }
  return scores;
}

void require_estimates(const std::shared_ptr<QualityEstimates>& estimates) {
  if (estimates) return;
  throw HttpError::of_option("quality",
                             "quality: this server estimates none; start it with --quality-model");
}

}  // namespace dietmt::service
