#include "data/tasks/task_metrics.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "common/error.h"
#include "metrics/glue_scores.h"
#include "metrics/squad2.h"

namespace dietmt::data {
namespace {

constexpr double kPercent = 100.0;
constexpr const char* kMean = "mean";

std::string score_name(const std::string& metric, const std::string& set) {
  return set.empty() ? metric : metric + "_" + set;
}

bool has_mean(const Task& task, size_t sets) { return !task.languages.empty() && sets > 1; }

std::string description_of(const Task& task) {
  switch (task.target.kind) {
    case TaskKind::kRegression:
      return "a regression";
    case TaskKind::kClassification:
      if (task.target.labels.empty()) return "a classification";
      return std::to_string(task.target.labels.size()) + " classes";
    case TaskKind::kTags:
      return "tags";
    case TaskKind::kSpan:
      break;
  }
  return task.has_unanswerable ? "questions" : "questions that all have an answer";
}

// Mean over the classes that either side has.
double macro_f1(std::span<const int32_t> predicted, std::span<const int32_t> gold) {
  std::set<int32_t> classes(predicted.begin(), predicted.end());
  classes.insert(gold.begin(), gold.end());
  double sum = 0.0;
  for (const int32_t label : classes) sum += metrics::f1_score(predicted, gold, label);
  return sum / static_cast<double>(classes.size());
}

double class_metric(const std::string& name, std::span<const int32_t> predicted,
                    std::span<const int32_t> gold) {
  if (name == "accuracy") return metrics::accuracy(predicted, gold);
  if (name == "f1") return metrics::f1_score(predicted, gold);
  if (name == "macro_f1") return macro_f1(predicted, gold);
  if (name == "matthews") return metrics::matthews_correlation(predicted, gold);
  throw ConfigError("'" + name + "' is not a classification metric");
}

double value_metric(const std::string& name, std::span<const double> predicted,
                    std::span<const double> gold) {
  double correlation = 0.0;
  if (name == "pearson")
    correlation = metrics::pearson(predicted, gold);
  else if (name == "spearman")
    correlation = metrics::spearman(predicted, gold);
  else
    throw ConfigError("'" + name + "' is not a regression metric");
  return std::isnan(correlation) ? 0.0 : correlation;
}

std::vector<metrics::QuestionAnswers> gold_answers(std::span<const Question> questions) {
  std::vector<metrics::QuestionAnswers> gold;
  for (const Question& question : questions) {
    gold.push_back({question.id, {}});
    for (const Answer& answer : question.answers) gold.back().answers.push_back(answer.text);
  }
  return gold;
}

// The best answer that is one.
const std::string& best_text(const SpanPrediction& prediction) {
  const auto found = std::ranges::find_if(
      prediction.nbest, [](const SpanCandidate& candidate) { return !candidate.text.empty(); });
  return found == prediction.nbest.end() ? prediction.text : found->text;
}

}  // namespace

std::vector<std::string> possible_metrics(const Task& task) {
  if (task.target.kind == TaskKind::kRegression) return {"pearson", "spearman"};
  if (task.target.kind == TaskKind::kClassification) {
    if (task.target.labels.size() > 2) return {"accuracy", "macro_f1", "matthews"};
    return {"accuracy", "f1", "macro_f1", "matthews"};
  }
  if (task.target.kind == TaskKind::kTags) return {"f1", "accuracy"};
  if (!task.has_unanswerable) return {"f1", "exact_match"};
  return {"f1", "exact_match", "best_f1", "best_exact_match"};
}

void check_metrics(const Task& task) {
  const std::vector<std::string> possible = possible_metrics(task);
  for (const std::string& name : task.metrics) {
    if (std::ranges::find(possible, name) != possible.end()) continue;
    std::string names;
    for (const std::string& other : possible) names += (names.empty() ? "" : ", ") + other;
    throw ConfigError("--metrics has '" + name + "', which does not fit " + description_of(task) +
                      "; possible: " + names);
  }
}

std::vector<std::string> measured_metrics(const Task& task) {
  std::vector<std::string> names = task.metrics;
  if (task.has_unanswerable) names.insert(names.end(), {"best_f1", "best_exact_match"});
  return names;
}

Scores joined(const Task& task, const std::vector<SetScores>& sets) {
  Scores scores;
  for (const auto& [set, of_set] : sets)
    for (const auto& [metric, value] : of_set) scores[score_name(metric, set)] = value;
  if (!has_mean(task, sets.size())) return scores;
  for (const std::string& metric : measured_metrics(task)) {
    double sum = 0.0;
    for (const auto& [set, of_set] : sets) sum += of_set.at(metric);
    scores[score_name(metric, kMean)] = sum / static_cast<double>(sets.size());
  }
  return scores;
}

std::vector<std::string> joined_names(const Task& task, const std::vector<std::string>& sets) {
  std::vector<std::string> names;
  for (const std::string& metric : measured_metrics(task)) {
    for (const std::string& set : sets) names.push_back(score_name(metric, set));
    if (has_mean(task, sets.size())) names.push_back(score_name(metric, kMean));
  }
  return names;
}

Scores class_metrics(const Task& task, std::span<const int32_t> predicted,
                     std::span<const int32_t> gold) {
  Scores scores;
  for (const std::string& name : task.metrics)
    scores[name] = kPercent * class_metric(name, predicted, gold);
  return scores;
}

Scores value_metrics(const Task& task, std::span<const double> predicted,
                     std::span<const double> gold) {
  Scores scores;
  for (const std::string& name : task.metrics)
    scores[name] = kPercent * value_metric(name, predicted, gold);
  return scores;
}

Scores tag_metrics(const Task& task, const metrics::TaggedSentences& predicted,
                   const metrics::TaggedSentences& gold) {
  Scores scores;
  for (const std::string& name : task.metrics)
    scores[name] = kPercent * (name == "f1" ? metrics::span_f1(predicted, gold)
                                            : metrics::tag_accuracy(predicted, gold));
  return scores;
}

Scores answer_metrics(const Task& task, const std::string& language,
                      std::span<const Question> questions,
                      std::span<const SpanPrediction> predictions) {
  metrics::Predictions texts, answered;
  metrics::NullScores differences;
  for (size_t i = 0; i < questions.size(); ++i) {
    texts[questions[i].id] = predictions[i].text;
    answered[questions[i].id] = best_text(predictions[i]);
    differences[questions[i].id] = predictions[i].null_difference;
  }
  if (!task.has_unanswerable) return answer_metrics(task, language, questions, texts);
  const metrics::SpanScores given = metrics::squad2_scores(gold_answers(questions), texts).all;
  Scores scores = threshold_metrics(questions, answered, differences);
  scores.insert({{"f1", given.f1}, {"exact_match", given.exact}});
  return scores;
}

Scores answer_metrics(const Task& task, const std::string& language,
                      std::span<const Question> questions, const metrics::Predictions& texts) {
  if (!task.has_unanswerable) {
    const metrics::AnswerWords words = task.scores_by_language()
                                           ? metrics::AnswerWords::mlqa(language)
                                           : metrics::AnswerWords::squad();
    const metrics::SpanScores given = metrics::span_scores(gold_answers(questions), texts, words);
    return {{"f1", given.f1}, {"exact_match", given.exact}};
  }
  const metrics::Squad2Scores given = metrics::squad2_scores(gold_answers(questions), texts);
  return {{"f1", given.all.f1},
          {"exact_match", given.all.exact},
          {"has_answer_f1", given.has_answer.f1},
          {"has_answer_exact_match", given.has_answer.exact},
          {"no_answer_f1", given.no_answer.f1},
          {"no_answer_exact_match", given.no_answer.exact}};
}

Scores threshold_metrics(std::span<const Question> questions, const metrics::Predictions& texts,
                         const metrics::NullScores& null_scores) {
  const metrics::BestThresholds best =
      metrics::best_thresholds(gold_answers(questions), texts, null_scores);
  return {{"best_f1", best.f1}, {"best_exact_match", best.exact}};
}

}  // namespace dietmt::data
