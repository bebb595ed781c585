// The words of an answer that the evaluation scripts of question answering compare: in lower case,
// without punctuation and articles.
//
//   const AnswerWords words = AnswerWords::squad();
//   words("The Eiffel-Tower!")   // {"eiffeltower"}
//
// Text is read as in Python (metrics/unicode.h). Punctuation is removed before articles: "a-ha"
// becomes "aha" and stays.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dietmt::metrics {

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

}  // namespace dietmt::metrics
