#include "nmt/alignment/mnemonics.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <optional>

#include "nmt/alignment/text_shape.h"

namespace dietmt::nmt {
namespace {

constexpr size_t kLongestLabel = 100;  // bytes of a text with a mnemonic

bool is_letter_or_digit(char32_t c) { return u_isalnum(static_cast<UChar32>(c)) != 0; }

bool is_typed(char32_t c) {
  if (u_isalpha(static_cast<UChar32>(c)) == 0) return false;
  UErrorCode status = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(static_cast<UChar32>(c), &status);
  return script != USCRIPT_HAN && script != USCRIPT_HIRAGANA && script != USCRIPT_KATAKANA &&
         script != USCRIPT_HANGUL && script != USCRIPT_THAI;
}

// The place of the only sign in the text, before a letter.
std::optional<size_t> only_sign(std::string_view text, char sign) {
  const size_t at = text.find(sign);
  if (text.size() > kLongestLabel || at == text.npos || text.find(sign, at + 1) != text.npos ||
      text.find('\n') != text.npos || !is_letter_or_digit(first_character(text.substr(at + 1))))
    return std::nullopt;
  // &amp; is a reference.
  if (sign == '&' && text.find(';', at) != text.npos) return std::nullopt;
  return at;
}

// For each character of the translation's texts: its part, its place there, and itself.
template <typename Use>
void for_each_character(const std::vector<MarkedPart>& translation, Use use) {
  for (size_t part = 0; part < translation.size(); ++part) {
    if (translation[part].mark >= 0) continue;
    const std::string& text = translation[part].text;
    for (int32_t at = 0; at < std::ssize(text);) {
      const int32_t begin = at;
      UChar32 c = 0;
      U8_NEXT(text.data(), at, std::ssize(text), c);
      use(part, static_cast<size_t>(begin), static_cast<char32_t>(std::max<UChar32>(c, 0)));
    }
  }
}

// "(_O)" goes before an ellipsis or a colon.
void append_mnemonic(const std::string& shown, std::vector<MarkedPart>& translation) {
  std::string& text =
      translation.back().mark < 0 ? translation.back().text : translation.emplace_back().text;
  size_t end = text.size();
  for (const std::string_view tail : {"...", "…", ":", "：", "。"})
    if (text.ends_with(tail)) end = text.size() - tail.size();
  text.insert(end, shown);
}

}  // namespace

char mnemonic_sign_in(std::string_view text) {
  for (const char sign : {'_', '&'}) {
    const auto at = only_sign(text, sign);
    const bool starts_word = at && (*at == 0 || text[*at - 1] == ' ');
    if (starts_word && u_isupper(static_cast<UChar32>(first_character(text.substr(*at + 1)))))
      return sign;
  }
  return 0;
}

Mnemonic take_out_mnemonic(std::string& text, char sign) {
  const auto at = sign == 0 ? std::nullopt : only_sign(text, sign);
  if (!at) return {};
  const char32_t before = last_character(std::string_view(text).substr(0, *at));
  const char32_t after = first_character(std::string_view(text).substr(*at + 1));
  const bool is_inside = *at > 0 && is_letter_or_digit(before);
  const auto is_upper = [](char32_t c) { return u_isupper(static_cast<UChar32>(c)) != 0; };
  constexpr std::ptrdiff_t kMostSpaces = 4;
  // Unlike R&D, AT&T and the names of functions and files.
  if (is_inside && ((sign == '&' && is_upper(before) && is_upper(after)) ||
                    std::ranges::count(text, ' ') > kMostSpaces ||
                    text.find_first_of("0123456789.()/") <= text.find_last_not_of('.')))
    return {};
  Mnemonic mnemonic{
      .sign = sign,
      .letter = text.substr(
          *at + 1, static_cast<size_t>(bytes_of_first(std::string_view(text).substr(*at + 1))))};
  text.erase(*at, 1);
  return mnemonic;
}

bool put_back_mnemonic(const Mnemonic& mnemonic, std::vector<MarkedPart>& translation) {
  if (mnemonic.sign == 0) return true;
  const char32_t wanted = u_tolower(static_cast<UChar32>(first_character(mnemonic.letter)));
  std::optional<std::pair<size_t, size_t>> first, same;  // part and byte
  bool has_letter = false, has_sign = false;
  char32_t before = 0;
  for_each_character(translation, [&](size_t part, size_t at, char32_t c) {
    has_sign = has_sign || c == static_cast<unsigned char>(mnemonic.sign);
    has_letter = has_letter || u_isalpha(static_cast<UChar32>(c)) != 0;
    const bool starts_word = !is_letter_or_digit(before);
    const bool is_place = is_typed(c) && !translation[part].is_markup;
    if (is_place && starts_word && !same &&
        static_cast<char32_t>(u_tolower(static_cast<UChar32>(c))) == wanted)
      same = {part, at};
    if (is_place && !first) first = {part, at};
    before = c;
  });
  if (has_sign || !has_letter) return false;
  if (const auto place = same ? same : first) {
    translation[place->first].text.insert(place->second, 1, mnemonic.sign);
  } else {
    std::string letter = mnemonic.letter;
    std::ranges::transform(letter, letter.begin(), [](unsigned char c) { return std::toupper(c); });
    append_mnemonic(std::string("(") + mnemonic.sign + letter + ")", translation);
  }
  return true;
}

}  // namespace dietmt::nmt
