// The case of single words, which an alignment carries over to the translation.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/tokenizer.h"
#include "nmt/alignment/word_alignment.h"
#include "nmt/translation/line_case.h"

namespace dietmt::nmt {

/// The case of a word of the source that the words aligned to it take.
struct WordCase {
  LineCase wanted = LineCase::kUsual;
  bool is_long = false;  // four letters or more, or an acronym
};

/// The case of each of words_of() a text whose case_of() is `line`: kTitle for words of titles that
/// begin with a capital letter, and kCapitals for emphasized words of a usual line. Those have four
/// letters or more, and the vocabulary has their small letters as a piece, but not the capitals, or
/// they are next to such a word. Empty if the text has none.
std::vector<WordCase> cases_of_words(std::string_view text, LineCase line,
                                     const data::Tokenizer& tokenizer);

/// A text with its emphasized words in small letters; the first letter of the text stays. All bytes
/// keep their positions.
std::string without_emphasis(std::string_view text, std::span<const WordCase> words);

/// A translation whose words take the case of those that they are aligned to. In titles that
/// concerns words of four letters or more and those aligned to shorter ones. If one of the words
/// aligned to a word is in capitals already, they stay. All bytes keep their positions, so ß stays
/// small.
std::string in_case_of_words(std::string_view translation, std::span<const WordPair> pairs,
                             std::span<const WordCase> source);

}  // namespace dietmt::nmt
