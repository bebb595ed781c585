#include "nmt/translation/line_case.h"

#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include "data/text/source_text.h"
#include "data/text/text_characters.h"

namespace dietmt::nmt {
namespace {

using data::Character;

constexpr size_t kLongWord = 4;  // in letters; headlines write shorter ones in both ways

bool is_joined(UChar32 code) {
  return u_isalpha(code) || u_charType(code) == U_NON_SPACING_MARK || code == '\'' ||
         code == 0x2019;
}

// Calls use(word, is_word) with the words of a text, which are letters and apostrophes, and with
// what is between them.
template <typename Use>
void for_each_word(std::string_view text, const Use& use) {
  size_t begin = 0, at = 0;
  bool in_word = false;
  while (at < text.size()) {
    const Character one = data::first_character_of(text.substr(at));
    if (is_joined(one.code) != in_word) {
      if (at > begin) use(text.substr(begin, at - begin), in_word);
      begin = at;
      in_word = !in_word;
    }
    at += one.bytes;
  }
  if (at > begin) use(text.substr(begin), in_word);
}

struct Letters {
  size_t count = 0;
  size_t capitals = 0;
  size_t small = 0;
  bool begins_with_capital = false;
};

Letters letters_of(std::string_view word) {
  Letters letters;
  while (!word.empty()) {
    const Character one = data::first_character_of(word);
    word.remove_prefix(one.bytes);
    if (!u_isalpha(one.code)) continue;
    const bool is_capital = u_isupper(one.code) || u_istitle(one.code);
    if (letters.count == 0) letters.begins_with_capital = is_capital;
    ++letters.count;
    letters.capitals += is_capital ? 1 : 0;
    letters.small += u_islower(one.code) ? 1 : 0;
  }
  return letters;
}

// A word in small letters, except that the first may stay. A letter whose small form has another
// size stays too.
std::string small_letters(std::string_view word, bool keeps_first) {
  std::string small;
  for (size_t at = 0; at < word.size();) {
    const Character one = data::first_character_of(word.substr(at));
    std::string letter;
    data::append_utf8(static_cast<char32_t>(u_tolower(one.code)), letter);
    const bool stays = (keeps_first && at == 0) || letter.size() != one.bytes;
    small += stays ? word.substr(at, one.bytes) : std::string_view(letter);
    at += one.bytes;
  }
  return small;
}

std::string first_capital(std::string_view word) {
  const Character first = data::first_character_of(word);
  std::string text;
  data::append_utf8(static_cast<char32_t>(u_totitle(first.code)), text);
  return text.append(word.substr(first.bytes));
}

// How badly the vocabulary knows a word: its pieces, where an unknown one stands for many.
size_t cost_of(std::string_view word, const data::Tokenizer& tokenizer) {
  constexpr size_t kUnknown = 100;
  size_t cost = 0;
  for (const int32_t id : tokenizer.encode(word))
    cost += id == tokenizer.unknown_id() ? kUnknown : 1;
  return cost;
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
  size_t words = 0;
  for_each_word(text, [&](std::string_view, bool is_word) { words += is_word ? 1 : 0; });
  std::string usual;
  bool is_first = true;
  for_each_word(text, [&](std::string_view word, bool is_word) {
    if (!is_word || letters_of(word).capitals == 0) {
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
  if (wanted == LineCase::kUsual) return std::string(text);
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
    default:
      return "";
  }
}

}  // namespace dietmt::nmt
