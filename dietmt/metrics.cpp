#include "dietmt/metrics.h"

#include <algorithm>

#include "common/checks.h"
#include "common/error.h"
#include "dietmt/guarded.h"
#include "metrics/evaluation.h"
#include "metrics/unicode.h"

namespace dietmt {
namespace {

metrics::MetricOptions metric_options(const EvaluateOptions& o) {
  metrics::MetricOptions options;
  options.lowercase = o.lowercase;
  options.tokenize = o.tokenize;
  options.mecab_dictionary = o.mecab_dictionary;
  options.smooth = o.smooth;
  options.smooth_value = o.smooth_value;
  options.effective_order = o.effective_order || o.sentence_scores;
  options.max_order = o.max_order;
  options.chrf.char_order = o.char_order;
  options.chrf.word_order = o.word_order;
  options.chrf.beta = o.beta;
  options.chrf.whitespace = o.whitespace;
  options.chrf.eps_smoothing = o.eps_smoothing;
  options.ter.normalized = o.normalized;
  options.ter.no_punct = o.no_punct;
  options.ter.asian_support = o.asian_support;
  options.ter.case_sensitive = o.case_sensitive;
  return options;
}

metrics::EvaluationOptions evaluation_options(const EvaluateOptions& o) {
  metrics::EvaluationOptions options;
  options.confidence = o.confidence;
  options.confidence_samples = o.confidence_samples;
  options.paired = o.paired;
  options.paired_samples = o.paired_samples;
  options.seed = o.seed;
  options.sentence_level = o.sentence_scores;
  return options;
}

std::vector<std::string> options_of_other_metrics(const EvaluateOptions& o) {
  const EvaluateOptions usual;
  std::vector<std::string> problems;
  const auto check = [&](const std::string& metric, bool changed, const std::string& name) {
    if (changed && !o.metric.starts_with(metric))
      problems.push_back(name + " is an option of " + metric + ", and the metric is " + o.metric);
  };
  check("bleu", o.tokenize != usual.tokenize, "tokenize");
  check("bleu", o.mecab_dictionary != usual.mecab_dictionary, "mecab_dictionary");
  check("bleu", o.smooth != usual.smooth, "smooth");
  check("bleu", o.smooth_value != usual.smooth_value, "smooth_value");
  check("bleu", o.effective_order, "effective_order");
  check("bleu", o.max_order != usual.max_order, "max_order");
  check("chrf", o.char_order != usual.char_order, "char_order");
  check("chrf", o.word_order != usual.word_order, "word_order");
  check("chrf", o.beta != usual.beta, "beta");
  check("chrf", o.whitespace, "whitespace");
  check("chrf", o.eps_smoothing, "eps_smoothing");
  check("ter", o.normalized, "normalized");
  check("ter", o.no_punct, "no_punct");
  check("ter", o.asian_support, "asian_support");
  check("ter", o.case_sensitive, "case_sensitive");
  if (o.metric == "ter" && o.lowercase)
    problems.emplace_back("lowercase is for bleu and chrf; ter has case_sensitive");
  return problems;
}

void check(const std::vector<Lines>& systems, const EvaluateOptions& o) {
  using namespace metrics::metric_rules;
  using namespace metrics::evaluation_rules;
  std::vector<std::string> problems;
  check_range(problems, "max_order", kMaxOrder, o.max_order);
  if (o.smooth_value) check_range(problems, "smooth_value", kSmoothValue, *o.smooth_value);
  if (o.smooth_value && o.smooth != "floor" && o.smooth != "add-k")
    problems.emplace_back("smooth_value needs smooth floor or add-k");
  check_range(problems, "char_order", kChrfOrder, o.char_order);
  check_range(problems, "word_order", kChrfOrder, o.word_order);
  check_range(problems, "beta", kChrfBeta, o.beta);
  check_range(problems, "confidence_samples", kConfidenceSamples, o.confidence_samples);
  check_range(problems, "paired_samples", kPairedSamples, o.paired_samples);
  check_range(problems, "seed", ranges::kSeed, o.seed);
  if (o.paired != "none" && o.paired != "bootstrap" && o.paired != "randomization")
    problems.push_back("paired is '" + o.paired + "'; choose none, bootstrap or randomization");
  if (systems.empty()) problems.emplace_back("no system outputs to evaluate");
  if (o.paired != "none" && systems.size() == 1)
    problems.emplace_back("paired compares systems: give the outputs of two or more");
  if (o.metric == "chrf++" && o.word_order != 0)
    problems.emplace_back("word_order is for chrf; chrf++ has 2");
  for (const std::string& problem : options_of_other_metrics(o)) problems.push_back(problem);
  throw_if_any(problems);
}

std::vector<Lines> stripped(const std::vector<Lines>& texts) {
  std::vector<Lines> result = texts;
  for (Lines& lines : result)
    for (std::string& line : lines) line = metrics::strip_right(line);
  return result;
}

EvaluationScore score_of(metrics::SystemScore&& system) {
  EvaluationScore result;
  result.name = std::move(system.score.name);
  result.score = system.score.score;
  result.signature = std::move(system.signature);
  result.figures = std::move(system.score.figures);
  if (system.interval) {
    result.confidence_mean = system.interval->mean;
    result.confidence_half_width = system.interval->half_width;
  }
  result.p_value = system.p_value;
  result.sentence_scores = std::move(system.sentence_scores);
  return result;
}

}  // namespace

std::vector<EvaluationScore> evaluate(const std::vector<Lines>& systems,
                                      const std::vector<Lines>& references,
                                      const EvaluateOptions& options) {
  return guarded([&] {
    check(systems, options);
    const auto metric = metrics::make_metric(options.metric, metric_options(options));
    std::vector<EvaluationScore> scores;
    for (metrics::SystemScore& system : metrics::evaluate(
             *metric, stripped(references), stripped(systems), evaluation_options(options)))
      scores.push_back(score_of(std::move(system)));
    return scores;
  });
}

}  // namespace dietmt
