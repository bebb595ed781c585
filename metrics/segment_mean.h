// Scores that a model gave to segments: a system has their mean.
#pragma once

#include <string>
#include <vector>

#include "metrics/metric.h"

namespace dietmt::metrics {

class SegmentMean final : public ScoreRule {
 public:
  /// `name`: of the metric, such as "COMET"; `model`: for the signature. The scores have a scale
  /// of about 1.
  SegmentMean(std::string name, std::string model);

  std::string name() const override { return name_; }
  Score score(std::span<const double> statistics) const override;

  /// Throws DataError if there are no scores.
  static CorpusStatistics statistics(const std::vector<double>& segment_scores);

 protected:
  std::string signature_fields() const override { return "model:" + model_; }

 private:
  std::string name_, model_;
};

}  // namespace dietmt::metrics
