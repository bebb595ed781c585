#include "data/text/plain_signs.h"

#include <unicode/uchar.h>

#include <algorithm>

#include "data/text/text_characters.h"

namespace dietmt::data {
namespace {

constexpr UChar32 kOpeningQuote = 0x2018, kClosingQuote = 0x2019;

// The sign of a keyboard for an apostrophe or hyphen; 0: it is none.
char plain_sign(UChar32 code) {
  constexpr std::u32string_view kTypographicApostrophes = U"\u2018\u2019\u201B\u02BC\u00B4`\uFF07";
  constexpr std::u32string_view kTypographicHyphens = U"\u2010\u2011\uFE63\uFF0D";
  const auto sign = static_cast<char32_t>(code);
  if (kTypographicApostrophes.find(sign) != std::u32string_view::npos) return '\'';
  return kTypographicHyphens.find(sign) != std::u32string_view::npos ? '-' : '\0';
}

bool is_in_word(UChar32 code) {
  constexpr uint32_t kInWords = U_GC_L_MASK | U_GC_M_MASK | U_GC_ND_MASK;
  return (U_GET_GC_MASK(code) & kInWords) != 0;
}

}  // namespace

bool PlainSigns::are_possible_in(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Character one = first_character_of(text.substr(at));
    if (plain_sign(one.code) != '\0') return true;
    at += one.bytes;
  }
  return false;
}

PlainSigns::PlainSigns(std::string_view text, const SpannedPieces& pieces, int32_t unknown) {
  bool may_be_quoted = false;  // a quotation mark has opened
  UChar32 before = 0;
  size_t piece = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const auto at = static_cast<int32_t>(text.size() - rest.size());
    while (piece < pieces.ids.size() && pieces.spans[piece].end <= at) ++piece;
    const bool is_unknown = piece < pieces.ids.size() && pieces.ids[piece] == unknown &&
                            pieces.spans[piece].begin <= at;
    const Character one = first_character_of(rest);
    const UChar32 after = first_character_of(rest.substr(one.bytes)).code;
    const bool follows_word = is_in_word(before);
    const bool is_inside = follows_word && is_in_word(after);
    const bool is_last = follows_word && one.code == kClosingQuote && !may_be_quoted;
    if (is_unknown && plain_sign(one.code) != '\0' && (is_inside || is_last))
      add(one.bytes, plain_sign(one.code));
    else
      text_ += rest.substr(0, one.bytes);
    if (!is_inside && (one.code == kOpeningQuote || (one.code == kClosingQuote && !follows_word)))
      may_be_quoted = true;
    before = one.code;
    rest.remove_prefix(one.bytes);
  }
}

void PlainSigns::add(size_t bytes, char plain) {
  const int32_t before = signs_.empty() ? 0 : signs_.back().added;
  text_ += plain;
  signs_.push_back({.end = static_cast<int32_t>(text_.size()),
                    .added = before + static_cast<int32_t>(bytes) - 1});
}

int32_t PlainSigns::original(int32_t at) const {
  const auto next = std::ranges::upper_bound(signs_, at, {}, &Sign::end);
  return at + (next == signs_.begin() ? 0 : std::prev(next)->added);
}

TextSpan PlainSigns::original(TextSpan span) const {
  return {.begin = original(span.begin), .end = original(span.end)};
}

}  // namespace dietmt::data
