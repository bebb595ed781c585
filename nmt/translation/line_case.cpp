#include "nmt/translation/line_case.h"

#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include "data/text/source_text.h"
#include "data/text/text_characters.h"
#include "nmt/translation/letter_case.h"

namespace dietmt::nmt {
namespace {

using data::Character;

std::string first_capital(std::string_view word) {
  const Character first = data::first_character_of(word);
  std::string text;
  data::append_utf8(static_cast<char32_t>(u_totitle(first.code)), text);
  return text.append(word.substr(first.bytes));
}

}  // namespace

LineCase case_of(std::string_view text) {
  Letters all;
  size_t words = 0, long_words = 0, long_capital = 0;
  for_each_word(text, [&](std::string_view word, bool is_word) {
    const Letters letters = is_word ? letters_of(word) : Letters();
    if (letters.count == 0) return;
    ++words;
    all.capitals += letters.capitals;
    all.small += letters.small;
    if (letters.count < kLongWord) return;
    ++long_words;
    if (letters.begins_with_capital && letters.small > 0) ++long_capital;
  });
  if (all.small == 0) return all.capitals >= 2 ? LineCase::kCapitals : LineCase::kUsual;
  const bool is_title = words >= 4 && long_words >= 3 && long_capital == long_words;
  return is_title ? LineCase::kTitle : LineCase::kUsual;
}

std::string in_usual_case(std::string_view text, const data::Tokenizer& tokenizer) {
  const bool is_title = case_of(text) == LineCase::kTitle;
  size_t words = 0;
  for_each_word(text, [&](std::string_view, bool is_word) { words += is_word ? 1 : 0; });
  std::string usual;
  bool is_first = true;
  for_each_word(text, [&](std::string_view word, bool is_word) {
    const size_t capitals = is_word ? letters_of(word).capitals : 0;
    if (capitals == 0 || (is_title && capitals > 1)) {  // US in a headline is an acronym
      usual += word;
      is_first = is_first && !is_word;
      return;
    }
    const std::string capital = small_letters(word, true), small = small_letters(word, false);
    std::string best = is_first ? capital : small;
    size_t least = cost_of(best, tokenizer);
    const auto prefer = [&](const std::string& other, bool is_likely) {
      const size_t cost = cost_of(other, tokenizer);
      if (is_likely ? cost > least : cost >= least) return;
      best = other;
      least = cost;
    };
    prefer(is_first ? small : capital, false);
    prefer(std::string(word), words == 1);  // an acronym by itself, or a known button
    usual += word == "I" ? "I" : best;
    is_first = false;
  });
  return usual;
}

std::string in_case(std::string_view text, LineCase wanted) {
  if (wanted == LineCase::kUsual || wanted == LineCase::kWords) return std::string(text);
  std::string made;
  if (wanted == LineCase::kCapitals) {
    icu::UnicodeString::fromUTF8({text.data(), static_cast<int32_t>(text.size())})
        .toUpper(icu::Locale::getRoot())
        .toUTF8String(made);
    return made;
  }
  bool is_first = true;
  for_each_word(text, [&](std::string_view word, bool is_word) {
    const bool is_long = is_word && letters_of(word).count >= kLongWord;
    made += is_word && (is_long || is_first) ? first_capital(word) : std::string(word);
    is_first = is_first && !is_word;
  });
  return made;
}

const char* case_name(LineCase found) {
  switch (found) {
    case LineCase::kCapitals:
      return "capitals";
    case LineCase::kTitle:
      return "title";
    case LineCase::kWords:
      return "words";
    default:
      return "";
  }
}

}  // namespace dietmt::nmt
