// Scores of answers to questions, some without an answer, as in the evaluation script of SQuAD 2.0
// (Rajpurkar et al. 2018). An empty prediction means that there is no answer.
//
//   const Squad2Scores scores = squad2_scores(questions, predictions);
//   scores.all.f1, scores.has_answer.f1, scores.no_answer.exact
//
// Exact match and F1 are those of metrics/squad.h, except for an answer without words ("",
// "the"): it scores 1 against another one and against a question that has no answer, else 0.
//
// The script stops at a question without a prediction. Here it counts 0 and is reported as missing.
#pragma once

#include "metrics/squad.h"

namespace dietmt::metrics {

struct Squad2Scores {
  SpanScores all;
  SpanScores has_answer;  ///< questions with gold answers; all zero if there are none
  SpanScores no_answer;   ///< questions without; all zero if there are none
};

/// Throws Error if there is no question.
Squad2Scores squad2_scores(const std::vector<QuestionAnswers>& questions,
                           const Predictions& predictions);

/// The model's score that a question has no answer, by question id: a probability, or the
/// score of no answer minus that of the best one.
using NullScores = std::map<std::string, double>;

/// As above, with an empty answer in place of the prediction where the null score is greater than
/// `threshold`. Throws Error if a question with a prediction has no null score, or NaN.
Squad2Scores squad2_scores(const std::vector<QuestionAnswers>& questions,
                           const Predictions& predictions, const NullScores& null_scores,
                           double threshold);

/// The best that any threshold on null scores reaches, and that threshold.
struct BestThresholds {
  double exact = 0.0;  ///< in percent
  double exact_threshold = 0.0;
  double f1 = 0.0;  ///< in percent
  double f1_threshold = 0.0;
};

/// One pass over the questions by increasing null score, as the script makes it: at first all are
/// answered by nothing (threshold 0, even where null scores are negative), then one after the other
/// by its prediction, and the first best is kept. Questions of equal null scores go in their given
/// order, and the best may lie between them, which no threshold reaches. As in the script, a
/// prediction for a question without answer counts 0 unless it is the empty string. Throws as
/// above.
BestThresholds best_thresholds(const std::vector<QuestionAnswers>& questions,
                               const Predictions& predictions, const NullScores& null_scores);

}  // namespace dietmt::metrics
