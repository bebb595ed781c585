// What `dietmt evaluate` prints.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "data/tasks/prediction_scores.h"
#include "metrics/metric.h"
#include "tools/evaluate_options.h"

namespace dietmt::tools {
namespace {

using metrics::SystemScore;

std::string fixed(double value, int64_t digits) {
  char text[400];
  std::snprintf(text, sizeof text, "%.*f", static_cast<int>(digits), value);
  return text;
}

void print_json(const nlohmann::ordered_json& value) {
  std::cout << value.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

void print_json(const EvaluateOptions& o, const TranslationScores& scores) {
  auto all = nlohmann::ordered_json::array();
  for (size_t h = 0; h < o.hypotheses.size(); ++h) {
    for (const metrics::MetricResults& results : scores.by_metric) {
      const SystemScore& result = results.scores[h];
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
      for (size_t d = 0; d < scores.documents.size(); ++d)
        object["document_scores"].push_back(
            {{"document", scores.documents[d]}, {"score", result.document_scores[d]}});
      all.push_back(std::move(object));
    }
  }
  print_json(all);
}

// One line: `columns`, and the score of each hypothesis and metric.
template <typename ScoreOf>
void print_row(const EvaluateOptions& o, const TranslationScores& scores,
               std::vector<std::string> columns, const ScoreOf& score_of) {
  for (size_t h = 0; h < o.hypotheses.size(); ++h)
    for (const metrics::MetricResults& results : scores.by_metric)
      columns.push_back(
          fixed(score_of(results.scores[h]), o.digits + results.scores[h].score.more_digits));
  std::cout << fmt::format("{}\n", fmt::join(columns, "\t"));
}

void print_sentences(const EvaluateOptions& o, const TranslationScores& scores) {
  for (size_t i = 0; i < scores.by_metric[0].scores[0].sentence_scores.size(); ++i)
    print_row(o, scores, {}, [i](const SystemScore& result) { return result.sentence_scores[i]; });
}

void print_documents(const EvaluateOptions& o, const TranslationScores& scores) {
  for (size_t d = 0; d < scores.documents.size(); ++d)
    print_row(o, scores, {scores.documents[d]},
              [d](const SystemScore& result) { return result.document_scores[d]; });
}

void print_only_scores(const EvaluateOptions& o, const TranslationScores& scores) {
  for (size_t h = 0; h < o.hypotheses.size(); ++h) {
    std::string line;
    for (const metrics::MetricResults& results : scores.by_metric)
      line += (line.empty() ? "" : "\t") +
              fixed(results.scores[h].score.score, o.digits + results.scores[h].score.more_digits);
    std::cout << line << '\n';
  }
}

// "(μ = 26.09 ± 0.64) (p = 0.0010)", only what was asked for.
std::string significance_text(const EvaluateOptions& o, const SystemScore& result) {
  std::string text;
  const int64_t digits = o.digits + result.score.more_digits;
  if (result.interval)
    text = "(μ = " + fixed(result.interval->mean, digits) + " ± " +
           fixed(result.interval->half_width, digits) + ")";
  if (result.p_value) text += (text.empty() ? "(p = " : " (p = ") + fixed(*result.p_value, 4) + ")";
  return text;
}

std::string right_aligned(const std::string& text, size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

// One block of lines for each hypothesis, then the signatures.
void print_text(const EvaluateOptions& o, const TranslationScores& scores) {
  const auto& by_metric = scores.by_metric;
  size_t width = 0;
  for (const metrics::MetricResults& results : by_metric)
    width = std::max(width, results.scores[0].score.name.size());
  for (size_t h = 0; h < o.hypotheses.size(); ++h) {
    if (o.hypotheses.size() > 1) std::cout << o.hypotheses[h] << '\n';
    for (const metrics::MetricResults& results : by_metric) {
      const SystemScore& result = results.scores[h];
      const std::string line =
          result.score.to_string(static_cast<int>(o.digits), significance_text(o, result));
      std::cout << std::string(width - result.score.name.size(), ' ') << line << '\n';
    }
    if (o.hypotheses.size() > 1) std::cout << '\n';
  }
  for (const metrics::MetricResults& results : by_metric)
    std::cout << right_aligned(results.scores[0].score.name, width) << ": "
              << results.scores[0].signature << '\n';
}

std::string signature(const data::NamedTask& named, const data::PredictionScores& scores,
                      const std::string& language) {
  return "task:" + named.task.name + (language.empty() ? "" : "|language:" + language) +
         "|examples:" + std::to_string(scores.examples) + "|" + metrics::version_field();
}

}  // namespace

void print_scores(const EvaluateOptions& o, const TranslationScores& scores) {
  if (o.json)
    print_json(o, scores);
  else if (o.evaluation.sentence_level)
    print_sentences(o, scores);
  else if (o.document_level)
    print_documents(o, scores);
  else if (o.score_only)
    print_only_scores(o, scores);
  else
    print_text(o, scores);
}

void evaluate_task(const EvaluateOptions& o) {
  const data::NamedTask named = data::find_task_and_language(o.task);
  const std::string language = o.language.empty() ? named.language : o.language;
  auto all = nlohmann::ordered_json::array();
  for (const std::string& file : o.predictions) {
    const data::PredictionScores result =
        data::score_predictions(named.task, {file, o.references[0], language, o.null_odds});
    std::string line;
    for (const auto& [metric, score] : result.scores) {
      all.push_back({{"hypothesis", file},
                     {"metric", metric},
                     {"score", score},
                     {"signature", signature(named, result, language)}});
      const std::string value = fixed(score, o.digits);
      line += o.score_only ? (line.empty() ? "" : "\t") + value : metric + '\t' + value + '\n';
    }
    if (o.json) continue;
    if (o.predictions.size() > 1 && !o.score_only) std::cout << file << '\n';
    std::cout << line << (o.score_only ? "\n" : "");
  }
  if (o.json) print_json(all);
}

}  // namespace dietmt::tools
