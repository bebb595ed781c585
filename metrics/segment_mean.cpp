#include "metrics/segment_mean.h"

#include <array>
#include <utility>

#include "common/error.h"

namespace dietmt::metrics {

SegmentMean::SegmentMean(std::string name, std::string model)
    : name_(std::move(name)), model_(std::move(model)) {}

Score SegmentMean::score(std::span<const double> statistics) const {
  constexpr int kMoreDigits = 2;  // 0.8351 where BLEU has 83.51
  return {name_, statistics[0] / statistics[1], "", {}, kMoreDigits};
}

CorpusStatistics SegmentMean::statistics(const std::vector<double>& segment_scores) {
  if (segment_scores.empty()) throw DataError("the hypotheses are empty: 0 sentences");
  CorpusStatistics statistics;
  for (const double score : segment_scores) statistics.add(std::array{score, 1.0});
  return statistics;
}

}  // namespace dietmt::metrics
