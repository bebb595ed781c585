// Exact match and F1 of answers, as the evaluation scripts of SQuAD 1.1 (Rajpurkar et al. 2016) and
// MLQA (Lewis et al. 2020) define them. XTREME scores XQuAD and TyDiQA-GoldP with SQuAD 1.1's.
//
//   span_scores(questions, predictions)                            // SQuAD 1.1, XQuAD,
//   TyDiQA-GoldP span_scores(questions, predictions, AnswerWords::mlqa("de"))   // MLQA with German
//   answers
//
// An answer is the list of its words (metrics/answer_words.h). Exact match asks for equal lists; F1
// is the harmonic mean of precision and recall of the words, each counted as often as it occurs. A
// question has the best of its gold answers. SQuAD 2.0: metrics/squad2.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "metrics/answer_words.h"

namespace dietmt::metrics {

struct QuestionAnswers {
  std::string id;
  std::vector<std::string> answers;  ///< gold; none: the question cannot be answered (SQuAD 2.0)
};

/// The predicted answers by question id. Those of other questions are ignored.
using Predictions = std::map<std::string, std::string>;

/// Of one question, in [0, 1].
struct AnswerScore {
  double exact = 0.0;
  double f1 = 0.0;
};

/// Means over questions, in percent as the scripts print them.
struct SpanScores {
  double exact = 0.0;
  double f1 = 0.0;
  int64_t questions = 0;
  int64_t missing = 0;  ///< those without a prediction; they count 0
};

/// Throws Error if there is no question, or one with a prediction has no gold answer.
SpanScores span_scores(const std::vector<QuestionAnswers>& questions,
                       const Predictions& predictions,
                       const AnswerWords& words = AnswerWords::squad());

/// F1 of two lists of words; 0 where they share none, two empty lists too.
double words_f1(const std::vector<std::string>& predicted, const std::vector<std::string>& gold);

/// Sums scores of questions and gives their means.
class SpanScoreSum {
 public:
  void add(AnswerScore score);
  void add_missing();
  /// All zero if nothing was added.
  SpanScores mean() const;

 private:
  SpanScores sum_;
};

}  // namespace dietmt::metrics
