// COMET and MetricX models in commands: a score of translations, and a choice among candidates.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "metrics/document_context.h"
#include "metrics/minimum_bayes_risk.h"

namespace dietmt::tools {

inline constexpr const char* kComet = "COMET";      // more is better, mostly between 0 and 1
inline constexpr const char* kMetricx = "MetricX";  // of errors, from 0 to 25

struct LearnedMetricOptions {
  std::string directory;
  std::string option = "--comet-model";  // that names it; errors do too
  std::string device = "cpu";
  int64_t threads = 0;  // 0: one per core
  int64_t batch_tokens = 4096;
  /// What to do if the model needs references; empty: the command has some.
  std::string without_references = {};
};

/// Texts that are cut, because they are too long for the model, get one warning.
struct LearnedMetric {
  using Texts = std::vector<std::string>;

  std::string metric;  // kComet or kMetricx
  std::string name;    // of the model
  bool reads_reference = false;
  /// A score for each segment of each system.
  std::function<std::vector<std::vector<double>>(
      const Texts& sources, const std::optional<Texts>& references, const std::vector<Texts>&,
      const metrics::DocumentContext&)>
      scores;
  metrics::LearnedUtility utility;

  /// Scores without references.
  std::vector<double> quality(const Texts& sources, const Texts& translations) const {
    return scores(sources, std::nullopt, {translations}, {}).front();
  }
};

/// `dietmt`, which has no LibTorch, replaces itself with `dietmt-torch` to run `command` with
/// `arguments`, before any input is read. Throws ConfigError if the model needs references, but the
/// command has none.
LearnedMetric learned_metric(const LearnedMetricOptions& o, const std::string& command,
                             const std::vector<std::string>& arguments);

}  // namespace dietmt::tools
