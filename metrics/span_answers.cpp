#include "metrics/span_answers.h"

#include <algorithm>

#include "common/error.h"

namespace dietmt::metrics {
namespace {

AnswerScore best_score(const std::string& predicted, const QuestionAnswers& question,
                       const AnswerWords& words) {
  if (question.answers.empty())
    throw Error("question " + question.id +
                " has no gold answer; sets with such questions are scored as SQuAD 2.0");
  const std::vector<std::string> predicted_words = words(predicted);
  AnswerScore best;
  for (const std::string& answer : question.answers) {
    const std::vector<std::string> gold_words = words(answer);
    best.exact = std::max(best.exact, predicted_words == gold_words ? 1.0 : 0.0);
    best.f1 = std::max(best.f1, words_f1(predicted_words, gold_words));
  }
  return best;
}

}  // namespace

double words_f1(const std::vector<std::string>& predicted, const std::vector<std::string>& gold) {
  std::map<std::string, int64_t> unmatched;
  for (const std::string& word : gold) ++unmatched[word];
  double shared = 0.0;
  for (const std::string& word : predicted) {
    const auto found = unmatched.find(word);
    if (found == unmatched.end() || found->second == 0) continue;
    --found->second;
    ++shared;
  }
  if (shared == 0.0) return 0.0;
  const double precision = shared / static_cast<double>(predicted.size());
  const double recall = shared / static_cast<double>(gold.size());
  return 2.0 * precision * recall / (precision + recall);
}

void SpanScoreSum::add(AnswerScore score) {
  sum_.exact += score.exact;
  sum_.f1 += score.f1;
  ++sum_.questions;
}

void SpanScoreSum::add_missing() {
  ++sum_.questions;
  ++sum_.missing;
}

SpanScores SpanScoreSum::mean() const {
  SpanScores mean = sum_;
  if (mean.questions == 0) return mean;
  mean.exact = 100.0 * sum_.exact / static_cast<double>(sum_.questions);
  mean.f1 = 100.0 * sum_.f1 / static_cast<double>(sum_.questions);
  return mean;
}

SpanScores span_scores(const std::vector<QuestionAnswers>& questions,
                       const Predictions& predictions, const AnswerWords& words) {
  if (questions.empty()) throw Error("there are no questions to score answers on");
  SpanScoreSum sum;
  for (const QuestionAnswers& question : questions) {
    const auto predicted = predictions.find(question.id);
    if (predicted == predictions.end())
      sum.add_missing();
    else
      sum.add(best_score(predicted->second, question, words));
  }
  return sum.mean();
}

}  // namespace dietmt::metrics
