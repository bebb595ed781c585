#include "data/text/word_text.h"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utf8.h>

#include <algorithm>

#include "common/error.h"
#include "data/text/source_text.h"

namespace dietmt::data {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

bool has_spaces_between_words(UChar32 c) {
  UErrorCode status = U_ZERO_ERROR;
  return !uscript_breaksBetweenLetters(uscript_getScript(c, &status));
}

std::string normalized(std::string_view text, const icu::Normalizer2* (*form)(UErrorCode& status)) {
  UErrorCode status = U_ZERO_ERROR;
  const std::string valid = utf8_of(characters_of(text));
  std::string normal;
  icu::StringByteSink<std::string> sink(&normal);
  if (const icu::Normalizer2* const found = form(status); U_SUCCESS(status))
    found->normalizeUTF8(0, icu::StringPiece(valid), sink, nullptr, status);
  if (U_FAILURE(status)) throw Error(std::string("ICU cannot normalize: ") + u_errorName(status));
  return normal;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

std::string in_nfkc(std::string_view text) {
  return normalized(text, icu::Normalizer2::getNFKCInstance);
}

std::string in_nfc(std::string_view text) {
  return normalized(text, icu::Normalizer2::getNFCInstance);
}

bool joins_word(char32_t c) {
  constexpr uint32_t kInWords = U_GC_L_MASK | U_GC_N_MASK | U_GC_M_MASK;
  const auto code = static_cast<UChar32>(c);
  return (U_GET_GC_MASK(code) & kInWords) != 0 && has_spaces_between_words(code);
}

std::u32string characters_of(std::string_view text) {
  std::u32string characters;
  characters.reserve(text.size());
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  for (size_t at = 0; at < text.size();) {
    UChar32 c = 0;
    U8_NEXT(bytes, at, text.size(), c);
    characters.push_back(c < 0 ? kReplacement : static_cast<char32_t>(c));
  }
  return characters;
}

std::string utf8_of(std::u32string_view characters) {
  std::string text;
  for (const char32_t c : characters) append_utf8(c, text);
  return text;
}

char32_t folded(char32_t c) {
  return static_cast<char32_t>(u_foldCase(static_cast<UChar32>(c), U_FOLD_CASE_DEFAULT));
}

bool is_capital(char32_t c) {
  const auto code = static_cast<UChar32>(c);
  return u_isupper(code) || u_istitle(code);
}

char32_t capital(char32_t c) { return static_cast<char32_t>(u_toupper(static_cast<UChar32>(c))); }

WordText::WordText(std::string_view text) {
  bool space = false;
  for (const char32_t c : is_ascii(text) ? characters_of(text) : characters_of(in_nfkc(text))) {
    if (u_isUWhiteSpace(static_cast<UChar32>(c))) {
      space = !characters.empty();
      continue;
    }
    if (space) characters.push_back(' ');
    space = false;
    characters.push_back(c);
  }
}

bool WordText::is_edge(size_t at) const {
  return at == 0 || at == characters.size() || !joins_word(characters[at - 1]) ||
         !joins_word(characters[at]);
}

}  // namespace dietmt::data
