// Metrics by the names that users give them, and the scores of several systems by one metric, with
// confidence intervals and comparisons with the first system: what `dietmt evaluate` prints.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/option_rule.h"
#include "metrics/bleu.h"
#include "metrics/bleu_tokenizer.h"
#include "metrics/chrf.h"
#include "metrics/metric.h"
#include "metrics/significance.h"
#include "metrics/ter.h"

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

/// The scores of the systems whose sentences have these statistics, in their order.
std::vector<SystemScore> evaluate(const ScoreRule& rule, size_t reference_sets,
                                  const std::vector<CorpusStatistics>& systems,
                                  const EvaluationOptions& options);

/// The scores of the systems whose outputs are `hypotheses`.
std::vector<SystemScore> evaluate(const Metric& metric, const References& references,
                                  const std::vector<std::vector<std::string>>& hypotheses,
                                  const EvaluationOptions& options);

/// The score of each part of a text. `parts`: that of each sentence, numbered from 0.
std::vector<double> part_scores(const ScoreRule& rule, const CorpusStatistics& system,
                                const std::vector<size_t>& parts);

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

inline constexpr std::string_view kMetricNames[] = {"bleu", "chrf", "chrf++", "ter"};

/// BLEU with its part of the options.
std::unique_ptr<Bleu> make_bleu(const MetricOptions& options);

/// Throws ConfigError for other names, with the choices.
std::unique_ptr<Metric> make_metric(const std::string& name, const MetricOptions& options);

}  // namespace dietmt::metrics
