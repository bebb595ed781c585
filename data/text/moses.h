// Moses' tokenizer and detokenizer (Koehn et al. 2007), as the package sacremoses 0.2 rebuilt them
// and FSMT's tokenizer in transformers calls them: with dashes split and special characters
// escaped, after replacing Unicode's punctuation and normalising the rest.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "data/text/text_rules.h"

namespace dietmt::data {

/// The words that keep their period, without it.
struct MosesLanguage {
  std::string code;
  std::unordered_set<std::string> abbreviations;
  std::unordered_set<std::string> before_numbers;  // only before a word that starts with a digit
};

/// nullptr for other languages than de, en and ru.
const MosesLanguage* moses_language(std::string_view code);

/// Text with ASCII punctuation, without characters that cannot be printed.
void normalize_for_moses(const MosesLanguage& language, Characters& text);

/// The words of a normalised text.
std::vector<Characters> moses_words(const MosesLanguage& language, Characters text);

/// The text of words. Its characters have the places of theirs, and spaces those of what follows.
Characters moses_text(const MosesLanguage& language, std::vector<Characters> words);

}  // namespace dietmt::data
