// Exact match and F1 of answers, as the evaluation scripts of SQuAD 1.1 (Rajpurkar et al. 2016) and
// MLQA (Lewis et al. 2020) define them. XTREME scores XQuAD and TyDiQA-GoldP with SQuAD 1.1's.
//
//   span_scores(questions, predictions)           // SQuAD 1.1, XQuAD, TyDiQA-GoldP
//   span_scores(questions, predictions, AnswerWords::mlqa("de"))   // MLQA, German answers
//
// An answer is the list of its words. Exact match asks for equal lists; F1
// is the harmonic mean of precision and recall of the words, each counted as often as it occurs. A
// question has the best of its gold answers. SQuAD 2.0: metrics/squad2.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::metrics {

/// The words of an answer that the evaluation scripts compare: in lower case, without punctuation
/// and articles. Text is read as in Python (metrics/unicode.h). Punctuation is removed before
/// articles: "a-ha" becomes "aha" and stays.
///
///   const AnswerWords words = AnswerWords::squad();
///   words("The Eiffel-Tower!")   // {"eiffeltower"}
class AnswerWords {
 public:
  /// SQuAD 1.1 and 2.0; XTREME uses the same for XQuAD and TyDiQA-GoldP in all languages.
  /// Only ASCII punctuation, English articles.
  static AnswerWords squad();

  /// MLQA (Lewis et al. 2020): punctuation of all scripts, the articles of the language, and in
  /// Chinese every ideograph is a word. `language`: ar, de, en, es, hi, vi or zh; throws
  /// ConfigError naming them.
  static AnswerWords mlqa(const std::string& language);

  std::vector<std::string> operator()(std::string_view answer) const;

 private:
  struct Rules;
  explicit AnswerWords(const Rules& rules) : rules_(&rules) {}

  const Rules* rules_;  // a constant table
};

struct QuestionAnswers {
  std::string id;
  std::vector<std::string> answers;  ///< gold; none: the question cannot be answered (SQuAD 2.0)
};

/// The predicted answers by question id. Those of other questions are ignored.
using Predictions = std::map<std::string, std::string>;

/// Scores of one question, in [0, 1].
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

/// F1 of two lists of words; 0 if they share none, also for two empty lists.
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
