// Scores of several systems by one metric, with confidence intervals and comparisons with the first
// system: what `dietmt evaluate` prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/option_rule.h"
#include "metrics/significance.h"

namespace dietmt::metrics {

namespace evaluation_rules {

inline const OptionRule kConfidenceSamples{.least = 1, .most = 100'000};
inline const OptionRule kPairedSamples{.least = 0, .most = 100'000};

}  // namespace evaluation_rules

struct EvaluationOptions {
  bool confidence = false;            // 95 % intervals
  int64_t confidence_samples = 1000;  // resamples of an interval
  std::string paired = "none";        // "bootstrap" or "randomization": compare with the first
  int64_t paired_samples = 0;  // 0: 1000 for bootstrap, which also gives intervals; else 10000
  int64_t seed = 12345;
  bool sentence_level = false;  // scores of each sentence too
  // The document of each sentence, numbered from 0; scores of each document too. Empty: none.
  std::vector<size_t> documents = {};
  // Fields of the signature that say which sentences were chosen, such as "origlang:de|".
  std::string chosen = {};
};

struct SystemScore {
  Score score;
  std::string signature;
  std::optional<ConfidenceInterval> interval;
  std::optional<double> p_value;  // of the difference from the first system
  std::vector<double> sentence_scores;
  std::vector<double> document_scores;
};

/// The scores of the systems, whose outputs are `hypotheses`, in their order.
std::vector<SystemScore> evaluate(const Metric& metric, const References& references,
                                  const std::vector<std::vector<std::string>>& hypotheses,
                                  const EvaluationOptions& options);

}  // namespace dietmt::metrics
