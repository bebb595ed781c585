// Scores cases for bench/metric_parity.py: one JSON object per line on standard input, one JSON
// array of figures per line on standard output. NaN is written as null.
#include <cstdio>
#include <exception>
#include <functional>
#include <nlohmann/json.hpp>

#include "common/text_io.h"
#include "metrics/glue_scores.h"
#include "metrics/squad.h"
#include "metrics/squad2.h"

namespace dietmt::metrics {
namespace {

using Json = nlohmann::json;
using Figures = std::vector<double>;

std::vector<QuestionAnswers> questions_of(const Json& line) {
  std::vector<QuestionAnswers> questions;
  for (const Json& question : line.at("questions"))
    questions.push_back({question.at("id"), question.at("answers")});
  return questions;
}

Figures figures(const SpanScores& scores) { return {scores.exact, scores.f1}; }

Figures classification(const Json& line) {
  const std::vector<int> predicted = line.at("predicted");
  const std::vector<int> gold = line.at("gold");
  return {accuracy(predicted, gold), f1_score(predicted, gold),
          matthews_correlation(predicted, gold)};
}

Figures correlation(const Json& line) {
  const std::vector<double> x = line.at("x");
  const std::vector<double> y = line.at("y");
  return {pearson(x, y), spearman(x, y)};
}

Figures squad1(const Json& line) {
  return figures(span_scores(questions_of(line), line.at("predictions")));
}

Figures mlqa(const Json& line) {
  return figures(span_scores(questions_of(line), line.at("predictions"),
                             AnswerWords::mlqa(line.at("language"))));
}

Figures squad2(const Json& line) {
  const std::vector<QuestionAnswers> questions = questions_of(line);
  const Predictions predictions = line.at("predictions");
  const NullScores null_scores = line.at("null_scores");
  const Squad2Scores scores =
      squad2_scores(questions, predictions, null_scores, line.at("threshold"));
  const BestThresholds best = best_thresholds(questions, predictions, null_scores);
  Figures all;
  for (const SpanScores& part : {scores.all, scores.has_answer, scores.no_answer})
    all.insert(all.end(), {part.exact, part.f1});
  all.insert(all.end(), {best.exact, best.exact_threshold, best.f1, best.f1_threshold});
  return all;
}

const std::map<std::string, std::function<Figures(const Json&)>> kMetrics{
    {"classification", classification},
    {"correlation", correlation},
    {"squad1", squad1},
    {"mlqa", mlqa},
    {"squad2", squad2},
};

void score_standard_input() {
  LineReader reader("-");
  for (std::string line; reader.next(line);) {
    const Json parsed = Json::parse(line);
    std::printf("%s\n", Json(kMetrics.at(parsed.at("metric"))(parsed)).dump().c_str());
  }
}

}  // namespace
}  // namespace dietmt::metrics

int main() {
  try {
    dietmt::metrics::score_standard_input();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "metric_cases: %s\n", error.what());
    return 1;
  }
  return 0;
}
