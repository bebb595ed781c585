// Moses' tokenizer and detokenizer (Koehn et al. 2007), as the package sacremoses 0.2 rebuilt them,
// with special characters escaped.
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

/// The rules of de, en and ru, and those that languages without a list of abbreviations share
/// ("other"). nullptr for the others.
const MosesLanguage* moses_language(std::string_view code);

/// What is done before text becomes words.
enum class MosesSteps {
  kNormalized,  // Argos Translate: punctuation is normalised
  kAll,         // FSMT in transformers: punctuation is made ASCII's and normalised, characters that
                // cannot be printed are removed, and dashes inside words become words
};

/// The words of a text.
std::vector<Characters> moses_words(const MosesLanguage& language, MosesSteps steps,
                                    Characters text);

/// The text of words. Its characters have the places of theirs, and spaces those of what follows.
Characters moses_text(const MosesLanguage& language, std::vector<Characters> words);

}  // namespace dietmt::data
