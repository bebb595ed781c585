// The first and last characters of UTF-8 text.
#pragma once

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace dietmt::data {

/// A character and its bytes; none of an empty text. An ill-formed sequence is U+FFFD.
struct Character {
  UChar32 code = 0;
  size_t bytes = 0;
};

inline Character first_character_of(std::string_view text) {
  if (text.empty()) return {};
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  if (bytes[0] < 0x80) return {bytes[0], 1};
  const auto end = static_cast<int32_t>(std::min<size_t>(text.size(), U8_MAX_LENGTH));
  int32_t at = 0;
  UChar32 code = 0;
  U8_NEXT(bytes, at, end, code);
  return {code < 0 ? 0xFFFD : code, static_cast<size_t>(at)};
}

inline Character last_character_of(std::string_view text) {
  if (text.empty()) return {};
  text = text.substr(text.size() - std::min<size_t>(text.size(), U8_MAX_LENGTH));
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  auto at = static_cast<int32_t>(text.size());
  UChar32 code = 0;
  U8_PREV(bytes, 0, at, code);
  return {code < 0 ? 0xFFFD : code, text.size() - static_cast<size_t>(at)};
}

/// Whether an edition of Unicode has the character, by its main number.
inline bool is_in_edition(uint8_t edition, char32_t code) {
  UVersionInfo age;
  u_charAge(static_cast<UChar32>(code), age);
  return age[0] <= edition;
}

/// Characters of scripts that write no spaces between sentences: Han, kana, full-width forms.
inline bool is_wide_character(UChar32 code) {
  return u_hasBinaryProperty(code, UCHAR_IDEOGRAPHIC) || (code >= 0x3001 && code <= 0x30FF) ||
         (code >= 0xFF01 && code <= 0xFF9F);
}

}  // namespace dietmt::data
