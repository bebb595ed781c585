#include "nmt/translation/letter_case.h"

#include "data/text/source_text.h"

namespace dietmt::nmt {

using data::Character;

bool is_joined(UChar32 code) {
  return u_isalpha(code) || u_charType(code) == U_NON_SPACING_MARK || code == '\'' ||
         code == 0x2019;
}

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

std::string of_same_size(std::string_view word, Character one, UChar32 wanted) {
  std::string letter;
  data::append_utf8(static_cast<char32_t>(wanted), letter);
  return letter.size() == one.bytes ? letter : std::string(word.substr(0, one.bytes));
}

std::string small_letters(std::string_view word, bool keeps_first) {
  std::string small;
  for (bool is_first = true; !word.empty(); is_first = false) {
    const Character one = data::first_character_of(word);
    small += of_same_size(word, one, keeps_first && is_first ? one.code : u_tolower(one.code));
    word.remove_prefix(one.bytes);
  }
  return small;
}

size_t cost_of(std::string_view word, const data::Tokenizer& tokenizer) {
  constexpr size_t kUnknown = 100;
  size_t cost = 0;
  for (const int32_t id : tokenizer.encode(word))
    cost += id == tokenizer.unknown_id() ? kUnknown : 1;
  return cost;
}

}  // namespace dietmt::nmt
