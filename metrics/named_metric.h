// Metrics by the names that users give them, with the options of all of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/option_rule.h"
#include "metrics/bleu_tokenizer.h"
#include "metrics/chrf.h"
#include "metrics/metric.h"
#include "metrics/ter.h"

namespace dietmt::metrics {

namespace metric_rules {

inline const OptionRule kMaxOrder{.least = 1, .most = 100};
inline const OptionRule kSmoothValue{.least = 0, .most = 1000};
inline const OptionRule kChrfOrder{.least = 0, .most = 100};  // of characters, and of words
inline const OptionRule kChrfBeta{.least = 0, .most = 1000};

}  // namespace metric_rules

struct MetricOptions {
  bool lowercase = false;  // of BLEU and chrF
  // BLEU
  std::string tokenize = "13a";
  std::string mecab_dictionary;                   // of ja-mecab and ko-mecab; empty: the system's
  std::optional<GivenTokenizer> given_tokenizer;  // instead of `tokenize`
  std::string smooth = "exp";
  std::optional<double> smooth_value;
  bool effective_order = false;
  int64_t max_order = 4;

  ChrfOptions chrf;
  TerOptions ter;
};

/// `name`: bleu, chrf, chrf++ or ter. Throws ConfigError, which names the choices.
std::unique_ptr<Metric> make_metric(const std::string& name, const MetricOptions& options);

}  // namespace dietmt::metrics
