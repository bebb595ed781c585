#include "metrics/pair_scores.h"

#include <algorithm>
#include <set>

#include "common/error.h"

namespace dietmt::metrics {
namespace {

PairScores scores_of(size_t right, size_t found, size_t wanted, double threshold) {
  if (right == 0) return {0.0, 0.0, 0.0, threshold};
  const auto hits = static_cast<double>(right);
  return {2.0 * hits / static_cast<double>(found + wanted), hits / static_cast<double>(found),
          hits / static_cast<double>(wanted), threshold};
}

}  // namespace

PairScores pair_scores(const std::vector<ScoredPair>& pairs, const std::vector<NamedPair>& gold,
                       std::optional<double> threshold) {
  if (gold.empty()) throw Error("there are no right pairs");
  const std::set<NamedPair> wanted(gold.begin(), gold.end());
  PairScores best = scores_of(0, 0, wanted.size(), threshold.value_or(0.0));
  size_t right = 0;
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (threshold && pairs[i].score < *threshold) break;
    right += wanted.contains(pairs[i].names) ? 1 : 0;
    const double next = i + 1 < pairs.size() ? pairs[i + 1].score : pairs[i].score;
    const PairScores here =
        scores_of(right, i + 1, wanted.size(), threshold.value_or((pairs[i].score + next) / 2.0));
    const bool last_of_equals = i + 1 == pairs.size() || next < pairs[i].score;
    if (threshold || (last_of_equals && here.f1 > best.f1)) best = here;
  }
  return best;
}

}  // namespace dietmt::metrics
