// Scores of translations by a MetricX model: 0 is best, 25 worst.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "metrics/minimum_bayes_risk.h"
#include "nmt/metricx/metricx.h"

namespace dietmt::nmt {

class MetricxScorer {
 public:
  using Texts = std::vector<std::string>;

  static constexpr double kWorst = 25.0;

  /// `metric` must outlive this object. At most `batch_tokens` pieces, or one input, go through the
  /// model together, which changes speed and memory only.
  MetricxScorer(const Metricx& metric, int64_t batch_tokens);

  /// A score for each segment of each system. `sources` and `references` have a text for each
  /// segment; texts that the model does not read are ignored. Throws ConfigError if there are no
  /// references, but the model needs them.
  std::vector<std::vector<double>> score(const Texts& sources,
                                         const std::optional<Texts>& references,
                                         const std::vector<Texts>& systems);

  /// Utilities (metrics::LearnedUtility): negative scores, as more is better there.
  std::vector<std::vector<double>> utilities(
      std::span<const metrics::WeightedCandidates> sentences);

  /// Inputs that were too long for the model, so that their ends did not count.
  int64_t cut() const { return cut_; }

 private:
  using Pieces = std::vector<int32_t>;

  Pieces input(const std::string& source, const std::string& translation,
               const std::string* reference);
  std::vector<double> score_inputs(const std::vector<Pieces>& inputs) const;
  at::Tensor score_batch(std::span<const Pieces* const> inputs) const;

  const Metricx& metric_;
  int64_t batch_tokens_;
  int64_t cut_ = 0;
};

}  // namespace dietmt::nmt
