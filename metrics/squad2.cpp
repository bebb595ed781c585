#include "metrics/squad2.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/error.h"

namespace dietmt::metrics {
namespace {

bool has_answer(const QuestionAnswers& question) { return !question.answers.empty(); }

AnswerScore answer_score(const std::vector<std::string>& predicted,
                         const std::vector<std::string>& gold) {
  const double exact = predicted == gold ? 1.0 : 0.0;
  return {exact, predicted.empty() || gold.empty() ? exact : words_f1(predicted, gold)};
}

// The best over the gold answers that have words; where there are none, over the empty answer.
AnswerScore best_score(const std::string& predicted, const QuestionAnswers& question) {
  const AnswerWords words = AnswerWords::squad();
  const std::vector<std::string> predicted_words = words(predicted);
  bool any_gold = false;
  AnswerScore best;
  for (const std::string& answer : question.answers) {
    const std::vector<std::string> gold_words = words(answer);
    if (gold_words.empty()) continue;
    any_gold = true;
    const AnswerScore score = answer_score(predicted_words, gold_words);
    best = {std::max(best.exact, score.exact), std::max(best.f1, score.f1)};
  }
  return any_gold ? best : answer_score(predicted_words, {});
}

struct ScoredQuestion {
  const QuestionAnswers* question;
  const std::string* predicted;  // null: missing
  AnswerScore score;             // of the prediction as it is
};

std::vector<ScoredQuestion> score_questions(const std::vector<QuestionAnswers>& questions,
                                            const Predictions& predictions) {
  if (questions.empty()) throw Error("there are no questions to score answers on");
  std::vector<ScoredQuestion> scored;
  scored.reserve(questions.size());
  for (const QuestionAnswers& question : questions) {
    const auto predicted = predictions.find(question.id);
    if (predicted == predictions.end())
      scored.push_back({&question, nullptr, {}});
    else
      scored.push_back({&question, &predicted->second, best_score(predicted->second, question)});
  }
  return scored;
}

Squad2Scores totals(const std::vector<ScoredQuestion>& scored) {
  SpanScoreSum all, with_answer, without_answer;
  for (const ScoredQuestion& one : scored) {
    SpanScoreSum& group = has_answer(*one.question) ? with_answer : without_answer;
    for (SpanScoreSum* sum : {&all, &group}) {
      if (one.predicted == nullptr)
        sum->add_missing();
      else
        sum->add(one.score);
    }
  }
  return {all.mean(), with_answer.mean(), without_answer.mean()};
}

double null_score(const QuestionAnswers& question, const NullScores& null_scores) {
  const auto found = null_scores.find(question.id);
  if (found == null_scores.end() || std::isnan(found->second))
    throw Error("question " + question.id + " has a prediction but no null score");
  return found->second;
}

// The highest value of the pass over the thresholds, in percent, and its threshold.
// `by_null_score`: questions with predictions in increasing order of their null scores.
std::pair<double, double> best_of_pass(
    const std::vector<std::pair<double, const ScoredQuestion*>>& by_null_score,
    double AnswerScore::*measure, size_t questions) {
  double sum = 0.0;
  for (const auto& [threshold, one] : by_null_score) sum += has_answer(*one->question) ? 0.0 : 1.0;
  double best = sum;
  double best_threshold = 0.0;
  for (const auto& [threshold, one] : by_null_score) {
    if (has_answer(*one->question))
      sum += one->score.*measure;
    else if (!one->predicted->empty())
      sum -= 1.0;
    if (sum > best) {
      best = sum;
      best_threshold = threshold;
    }
  }
  return {100.0 * best / static_cast<double>(questions), best_threshold};
}

}  // namespace

Squad2Scores squad2_scores(const std::vector<QuestionAnswers>& questions,
                           const Predictions& predictions) {
  return totals(score_questions(questions, predictions));
}

Squad2Scores squad2_scores(const std::vector<QuestionAnswers>& questions,
                           const Predictions& predictions, const NullScores& null_scores,
                           double threshold) {
  std::vector<ScoredQuestion> scored = score_questions(questions, predictions);
  for (ScoredQuestion& one : scored) {
    if (one.predicted == nullptr || null_score(*one.question, null_scores) <= threshold) continue;
    const double right = has_answer(*one.question) ? 0.0 : 1.0;
    one.score = {right, right};
  }
  return totals(scored);
}

BestThresholds best_thresholds(const std::vector<QuestionAnswers>& questions,
                               const Predictions& predictions, const NullScores& null_scores) {
  const std::vector<ScoredQuestion> scored = score_questions(questions, predictions);
  std::vector<std::pair<double, const ScoredQuestion*>> by_null_score;
  for (const ScoredQuestion& one : scored)
    if (one.predicted != nullptr)
      by_null_score.emplace_back(null_score(*one.question, null_scores), &one);
  std::stable_sort(by_null_score.begin(), by_null_score.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto [exact, exact_threshold] =
      best_of_pass(by_null_score, &AnswerScore::exact, scored.size());
  const auto [f1, f1_threshold] = best_of_pass(by_null_score, &AnswerScore::f1, scored.size());
  return {exact, exact_threshold, f1, f1_threshold};
}

}  // namespace dietmt::metrics
