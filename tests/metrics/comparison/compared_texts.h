// Texts for tests of comparisons.
#pragma once

#include <string>
#include <vector>

#include "metrics/comparison/numbered_texts.h"
#include "metrics/unicode.h"

namespace dietmt::metrics {

inline std::vector<std::string> words_at_spaces(const std::string& sentence) {
  const std::vector<std::string_view> words = split_words(sentence);
  return {words.begin(), words.end()};
}

inline NumberedTexts numbered(const std::vector<std::string>& reference,
                              const std::vector<std::vector<std::string>>& hypotheses) {
  return {words_at_spaces, reference, hypotheses};
}

}  // namespace dietmt::metrics
