// dietmt evaluate: scores translations against references.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "common/error.h"
#include "common/options.h"
#include "common/text_io.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "metrics/evaluation.h"
#include "metrics/ter.h"
#include "metrics/unicode.h"
#include "tools/commands.h"

namespace dietmt::tools {
namespace {

using metrics::Metric;
using metrics::SystemScore;
using Lines = std::vector<std::string>;

struct EvaluateOptions {
  std::vector<std::string> references;
  std::vector<std::string> hypotheses;
  std::string metrics = "bleu";
  bool lowercase = false;
  std::string tokenize = "13a";
  std::string smooth = "exp";
  std::optional<double> smooth_value;
  bool effective_order = false;
  int64_t max_order = 4;
  metrics::ChrfOptions chrf;
  metrics::TerOptions ter;
  metrics::EvaluationOptions evaluation;
  bool json = false;
  int64_t digits = 2;
};

constexpr int64_t kLongestGram = 100;
constexpr int64_t kMostResamples = 1'000'000;

OptionTable option_table(EvaluateOptions& o) {
  metrics::EvaluationOptions& e = o.evaluation;
  OptionTable table("evaluate", "--reference FILE... --hypothesis FILE...",
                    "Scores translations with BLEU, chrF and TER, as sacreBLEU computes them. "
                    "Files have one sentence per line, plain or gzip; - is standard input.");
  table.group("Input")
      .add("reference", &o.references, "FILE...",
           "reference translations; several files: several references per sentence",
           {.required = true})
      .add("hypothesis", &o.hypotheses, "FILE...", "translations, one file for each system",
           {.required = true})
      .add("metric", &o.metrics, "LIST", "comma-separated list of bleu, chrf, chrf++ and ter")
      .add("lowercase", &o.lowercase, "", "lower-case for BLEU and chrF (TER does so by default)");
  table.group("BLEU")
      .add("tokenize", &o.tokenize, "", "tokenizer",
           {.choices = {"13a", "intl", "char", "none", "zh"}})
      .add("smooth", &o.smooth, "", "smoothing of n-gram orders without a match",
           {.choices = {"none", "floor", "add-k", "exp"}})
      .add("smooth-value", &o.smooth_value, "X",
           "value for --smooth floor (default 0.1) or add-k (default 1)",
           {.least = 0, .most = 1000})
      .add("max-order", &o.max_order, "N", "longest n-gram", {.least = 1, .most = kLongestGram})
      .add("effective-order", &o.effective_order, "",
           "ignore orders longer than the hypothesis; --sentence-level implies it");
  table.group("chrF")
      .add("chrf-char-order", &o.chrf.char_order, "N", "longest character n-gram",
           {.least = 0, .most = kLongestGram})
      .add("chrf-word-order", &o.chrf.word_order, "N", "longest word n-gram; 2: chrF++",
           {.least = 0, .most = kLongestGram})
      .add("chrf-beta", &o.chrf.beta, "N", "weight of recall relative to precision",
           {.least = 0, .most = 1000})
      .add("chrf-whitespace", &o.chrf.whitespace, "", "keep whitespace in character n-grams")
      .add("chrf-eps-smoothing", &o.chrf.eps_smoothing, "", "average F scores as chrF++.py does");
  table.group("TER")
      .add("ter-normalized", &o.ter.normalized, "", "unescape entities and split off punctuation")
      .add("ter-no-punct", &o.ter.no_punct, "", "remove punctuation")
      .add("ter-asian-support", &o.ter.asian_support, "",
           "apply the two options above to CJK characters too")
      .add("ter-case-sensitive", &o.ter.case_sensitive, "", "do not lower-case");
  table.group("Significance")
      .add("confidence", &e.confidence, "", "print 95 % intervals from bootstrap resampling")
      .add("confidence-samples", &e.confidence_samples, "N", "bootstrap resamples",
           {.least = 1, .most = kMostResamples})
      .add("paired", &e.paired, "", "significance test of each further hypothesis with the first",
           {.choices = {"none", "bootstrap", "randomization"}})
      .add("paired-samples", &e.paired_samples, "N",
           "resamples or trials; 0: 1000 for bootstrap, 10000 for randomization",
           {.least = 0, .most = kMostResamples})
      .add("seed", &e.seed, "N", "random seed of resampling", ranges::kSeed);
  table.group("Output")
      .add("sentence-level", &e.sentence_level, "",
           "print the scores of each sentence in a line, a column for each hypothesis and metric")
      .add("json", &o.json, "", "print an array with one object for each hypothesis and metric")
      .add("digits", &o.digits, "N", "decimals in text output", {.least = 0, .most = 17});
  table
      .basics({"metric", "tokenize", "lowercase", "confidence", "paired", "sentence-level", "json"})
      .example("dietmt evaluate --reference test.de --hypothesis output.de --metric bleu,chrf,ter")
      .example(
          "dietmt evaluate --reference test.de --hypothesis base.de new.de --paired bootstrap");
  return table;
}

std::vector<std::string> problems_of(const EvaluateOptions& o) {
  std::vector<std::string> problems;
  const auto require = [&](bool holds, const char* problem) {
    if (!holds) problems.emplace_back(problem);
  };
  const metrics::EvaluationOptions& e = o.evaluation;
  require(std::count(o.references.begin(), o.references.end(), "-") +
                  std::count(o.hypotheses.begin(), o.hypotheses.end(), "-") <=
              1,
          "only one file can be - (standard input)");
  require(e.paired == "none" || o.hypotheses.size() > 1,
          "--paired compares systems: give two --hypothesis files or more");
  require(!e.sentence_level || (!e.confidence && e.paired == "none"),
          "--sentence-level excludes --confidence and --paired");
  return problems;
}

std::unique_ptr<Metric> make_bleu(const EvaluateOptions& o) {
  metrics::BleuOptions bleu;
  bleu.tokenizer = metrics::bleu_tokenizer_from_name(o.tokenize);
  bleu.lowercase = o.lowercase;
  bleu.smoothing = metrics::smoothing_from_name(o.smooth);
  bleu.smoothing_value = o.smooth_value;
  bleu.max_order = o.max_order;
  bleu.effective_order = o.effective_order || o.evaluation.sentence_level;
  return std::make_unique<metrics::Bleu>(bleu);
}

std::unique_ptr<Metric> make_metric(const std::string& name, const EvaluateOptions& o) {
  if (name == "bleu") return make_bleu(o);
  if (name == "ter") return std::make_unique<metrics::Ter>(o.ter);
  metrics::ChrfOptions chrf = o.chrf;
  chrf.lowercase = o.lowercase;
  if (name == "chrf++") chrf.word_order = 2;
  if (name == "chrf" || name == "chrf++") return std::make_unique<metrics::Chrf>(chrf);
  throw ConfigError("unknown metric '" + name + "' in --metric; choose bleu, chrf, chrf++ or ter");
}

std::vector<std::unique_ptr<Metric>> make_metrics(const EvaluateOptions& o) {
  std::vector<std::unique_ptr<Metric>> all;
  std::istringstream names(o.metrics);
  for (std::string name; std::getline(names, name, ',');) all.push_back(make_metric(name, o));
  if (all.empty()) throw ConfigError("--metric is empty");
  return all;
}

// The lines of a file without whitespace at their ends, as sacreBLEU reads them.
Lines read_sentences(const std::string& path) {
  Lines lines;
  LineReader reader(path);
  for (std::string line; reader.next(line);) {
    if (invalid_utf8_at(line) != std::string::npos) {
      spdlog::warn("{}: invalid UTF-8 replaced by U+FFFD", reader.where());
      line = replace_invalid_utf8(line);
    }
    lines.emplace_back(metrics::strip_right(line));
  }
  if (lines.empty()) throw DataError(path + " is empty: 0 lines");
  return lines;
}

struct Corpora {
  metrics::References references;
  std::vector<Lines> hypotheses;
};

Corpora read_corpora(const EvaluateOptions& o) {
  Corpora corpora;
  for (const std::string& path : o.references) corpora.references.push_back(read_sentences(path));
  for (const std::string& path : o.hypotheses) corpora.hypotheses.push_back(read_sentences(path));
  std::string counts;
  bool equal = true;
  const auto note = [&](const std::string& path, const Lines& lines) {
    equal = equal && lines.size() == corpora.references[0].size();
    counts += (counts.empty() ? "" : ", ") + path + " " + std::to_string(lines.size());
  };
  for (size_t r = 0; r < o.references.size(); ++r) note(o.references[r], corpora.references[r]);
  for (size_t h = 0; h < o.hypotheses.size(); ++h) note(o.hypotheses[h], corpora.hypotheses[h]);
  if (!equal) throw DataError("the files have different numbers of lines: " + counts);
  return corpora;
}

void warn_if_tokenized(const EvaluateOptions& o, const Corpora& corpora) {
  if (o.tokenize == "none") return;
  for (size_t h = 0; h < corpora.hypotheses.size(); ++h) {
    const Lines& lines = corpora.hypotheses[h];
    const auto count = std::count_if(lines.begin(), lines.end(),
                                     [](const std::string& line) { return line.ends_with(" ."); });
    if (count >= 100)
      spdlog::warn("{}: {} lines end with ' .': BLEU expects text that is not tokenized",
                   o.hypotheses[h], count);
  }
}

std::string fixed(double value, int64_t digits) {
  char text[400];
  std::snprintf(text, sizeof text, "%.*f", static_cast<int>(digits), value);
  return text;
}

void print_json(const EvaluateOptions& o, const std::vector<std::vector<SystemScore>>& by_metric) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (size_t h = 0; h < o.hypotheses.size(); ++h) {
    for (const std::vector<SystemScore>& results : by_metric) {
      const SystemScore& result = results[h];
      nlohmann::ordered_json object{{"hypothesis", o.hypotheses[h]},
                                    {"metric", result.score.name},
                                    {"score", result.score.score},
                                    {"signature", result.signature}};
      for (const auto& [name, value] : result.score.figures) object[name] = value;
      if (result.interval) {
        object["confidence_mean"] = result.interval->mean;
        object["confidence_half_width"] = result.interval->half_width;
      }
      if (result.p_value) {
        object["baseline"] = o.hypotheses[0];
        object["p_value"] = *result.p_value;
      }
      if (o.evaluation.sentence_level) object["sentence_scores"] = result.sentence_scores;
      all.push_back(std::move(object));
    }
  }
  std::cout << all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

void print_sentences(const EvaluateOptions& o,
                     const std::vector<std::vector<SystemScore>>& by_metric) {
  for (size_t i = 0; i < by_metric[0][0].sentence_scores.size(); ++i) {
    std::string line;
    for (size_t h = 0; h < o.hypotheses.size(); ++h)
      for (const std::vector<SystemScore>& results : by_metric)
        line += (line.empty() ? "" : "\t") + fixed(results[h].sentence_scores[i], o.digits);
    std::cout << line << '\n';
  }
}

// "(μ = 26.09 ± 0.64) (p = 0.0010)", only what was asked for.
std::string significance_text(const EvaluateOptions& o, const SystemScore& result) {
  std::string text;
  if (result.interval)
    text = "(μ = " + fixed(result.interval->mean, o.digits) + " ± " +
           fixed(result.interval->half_width, o.digits) + ")";
  if (result.p_value) text += (text.empty() ? "(p = " : " (p = ") + fixed(*result.p_value, 4) + ")";
  return text;
}

std::string right_aligned(const std::string& text, size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

// One block of lines for each hypothesis, then the signatures.
void print_text(const EvaluateOptions& o, const std::vector<std::vector<SystemScore>>& by_metric) {
  size_t width = 0;
  for (const std::vector<SystemScore>& results : by_metric)
    width = std::max(width, results[0].score.name.size());
  for (size_t h = 0; h < o.hypotheses.size(); ++h) {
    if (o.hypotheses.size() > 1) std::cout << o.hypotheses[h] << '\n';
    for (const std::vector<SystemScore>& results : by_metric) {
      const SystemScore& result = results[h];
      const std::string line =
          result.score.to_string(static_cast<int>(o.digits), significance_text(o, result));
      std::cout << std::string(width - result.score.name.size(), ' ') << line << '\n';
    }
    if (o.hypotheses.size() > 1) std::cout << '\n';
  }
  for (const std::vector<SystemScore>& results : by_metric)
    std::cout << right_aligned(results[0].score.name, width) << ": " << results[0].signature
              << '\n';
}

}  // namespace

int run_evaluate(const std::vector<std::string>& arguments) {
  EvaluateOptions options;
  OptionTable table = option_table(options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check(problems_of(options));
  const std::vector<std::unique_ptr<Metric>> all = make_metrics(options);
  const Corpora corpora = read_corpora(options);
  warn_if_tokenized(options, corpora);

  std::vector<std::vector<SystemScore>> by_metric;
  for (const std::unique_ptr<Metric>& metric : all)
    by_metric.push_back(
        metrics::evaluate(*metric, corpora.references, corpora.hypotheses, options.evaluation));
  if (options.json)
    print_json(options, by_metric);
  else if (options.evaluation.sentence_level)
    print_sentences(options, by_metric);
  else
    print_text(options, by_metric);
  return 0;
}

}  // namespace dietmt::tools
