#include "metrics/unicode.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>

#include "common/error.h"

namespace dietmt::metrics {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

// The code point at `position`, which moves past it.
char32_t next_code_point(std::string_view text, size_t& position) {
  const auto lead = static_cast<unsigned char>(text[position]);
  if (lead < 0x80) {
    ++position;
    return lead;
  }
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  UChar32 c = 0;
  U8_NEXT(bytes, position, text.size(), c);
  return c < 0 ? kReplacement : static_cast<char32_t>(c);
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

bool has_category(char32_t c, uint32_t mask) {
  return (U_GET_GC_MASK(static_cast<UChar32>(c)) & mask) != 0;
}

bool is_space(char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F);
  if (c < 0x1680) return c == 0x85 || c == 0xA0;
  return c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

bool is_ascii_punctuation(char32_t c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

bool is_punctuation(char32_t c) { return has_category(c, U_GC_P_MASK); }

bool is_word_character(char32_t c) {
  return c == '_' || has_category(c, U_GC_L_MASK | U_GC_N_MASK);
}

std::u32string code_points(std::string_view utf8) {
  std::u32string text;
  text.reserve(utf8.size());
  for (size_t position = 0; position < utf8.size();) text += next_code_point(utf8, position);
  return text;
}

std::string to_utf8(std::u32string_view text) {
  std::string utf8;
  utf8.reserve(text.size());
  for (const char32_t c : text) {
    uint8_t bytes[U8_MAX_LENGTH];
    size_t length = 0;
    U8_APPEND_UNSAFE(bytes, length, static_cast<UChar32>(c));
    utf8.append(reinterpret_cast<const char*>(bytes), length);
  }
  return utf8;
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  size_t word_start = 0;
  for (size_t position = 0; position < text.size();) {
    const size_t start = position;
    if (!is_space(next_code_point(text, position))) continue;
    if (start > word_start) words.push_back(text.substr(word_start, start - word_start));
    word_start = position;
  }
  if (word_start < text.size()) words.push_back(text.substr(word_start));
  return words;
}

std::string_view strip_right(std::string_view text) {
  size_t end = 0;
  for (size_t position = 0; position < text.size();)
    if (!is_space(next_code_point(text, position))) end = position;
  return text.substr(0, end);
}

std::string_view strip(std::string_view text) {
  text = strip_right(text);
  size_t start = 0;
  for (size_t position = 0; position < text.size(); start = position)
    if (!is_space(next_code_point(text, position))) break;
  return text.substr(start);
}

std::string lowercase(std::string_view text) {
  std::string lower;
  lower.reserve(text.size());
  if (is_ascii(text)) {
    for (const char c : text) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return lower;
  }
  icu::StringByteSink<std::string> sink(&lower);
  UErrorCode status = U_ZERO_ERROR;
  const icu::StringPiece piece(text.data(), static_cast<int32_t>(text.size()));
  icu::CaseMap::utf8ToLower("", 0, piece, sink, nullptr, status);
  if (U_FAILURE(status)) throw Error(std::string("lower-casing failed: ") + u_errorName(status));
  return lower;
}

}  // namespace dietmt::metrics
