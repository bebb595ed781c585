#include "nmt/alignment/text_shape.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <iterator>

#include "common/utf8.h"
#include "data/text/text_characters.h"

namespace dietmt::nmt {
namespace {

constexpr std::u32string_view kOpening = U"([{<\u00AB\u2039\u201C\u201E\u2018\u201A\u300C\u300E（";
constexpr std::u32string_view kClosing = U")]}>\u00BB\u203A\u201D\u201C\u2019\u2018\u300D\u300F）";
constexpr std::u32string_view kStraight = U"\"'`";

bool is_among(char32_t c, std::u32string_view characters) {
  return c != 0 && characters.find(c) != std::u32string_view::npos;
}

char32_t valid(UChar32 c) { return c < 0 ? U'\uFFFD' : static_cast<char32_t>(c); }

template <typename Predicate>
bool has_any(std::string_view text, const Predicate& is_wanted) {
  for (size_t at = 0; at < text.size();) {
    UChar32 c = 0;
    U8_NEXT(reinterpret_cast<const uint8_t*>(text.data()), at, text.size(), c);
    if (is_wanted(valid(c))) return true;
  }
  return false;
}

}  // namespace

char32_t first_character(std::string_view text) {
  return static_cast<char32_t>(data::first_character_of(text).code);
}

char32_t last_character(std::string_view text) {
  return static_cast<char32_t>(data::last_character_of(text).code);
}

int32_t bytes_of_first(std::string_view text) {
  size_t size = 1;
  while (size < text.size() && continues_character(text[size])) ++size;
  return static_cast<int32_t>(size);
}

int32_t bytes_of_last(std::string_view text) {
  size_t begin = text.size() - 1;
  while (begin > 0 && continues_character(text[begin])) --begin;
  return static_cast<int32_t>(text.size() - begin);
}

void drop_first(std::string_view& text) {
  text.remove_prefix(static_cast<size_t>(bytes_of_first(text)));
}

void drop_last(std::string_view& text) {
  text.remove_suffix(static_cast<size_t>(bytes_of_last(text)));
}

bool is_word_character(char32_t c) {
  constexpr uint32_t kInWords = U_GC_L_MASK | U_GC_N_MASK | U_GC_M_MASK | U_GC_SO_MASK;
  return c != 0 && (U_GET_GC_MASK(static_cast<UChar32>(c)) & kInWords) != 0;
}

bool is_space(char32_t c) { return u_isUWhiteSpace(static_cast<UChar32>(c)); }

bool ends_phrase(char32_t c) { return is_among(c, U".,;:!?\u2026。，、；：！？"); }

bool ends_sentence(char32_t c) { return is_among(c, U".!?\u2026。！？"); }

bool starts_sentence(char32_t c) { return c == U'\u00BF' || c == U'\u00A1'; }

bool opens(char32_t c) { return is_among(c, kOpening) || is_among(c, kStraight); }

bool closes(char32_t c) { return is_among(c, kClosing) || is_among(c, kStraight); }

bool is_pair(char32_t opening, char32_t closing) {
  if (is_among(opening, kStraight)) return opening == closing;
  if (opening == U'\u201E' && closing == U'\u201C') return true;
  if (opening == U'\u201A' && closing == U'\u2018') return true;
  if (opening == U'\u00BB') return closing == U'\u00AB';
  constexpr std::u32string_view kMates = U")]}>\u00BB\u203A\u201D\u201D\u2019\u2019\u300D\u300F）";
  const size_t which = kOpening.find(opening);
  return which != std::u32string_view::npos && kMates[which] == closing;
}

bool is_currency(char32_t c) { return u_charType(static_cast<UChar32>(c)) == U_CURRENCY_SYMBOL; }

bool is_written_together(char32_t c) {
  constexpr std::u32string_view kDashes = U"\u2013\u2014\u2015";
  if (!u_isgraph(static_cast<UChar32>(c)) || is_among(c, kDashes)) return false;
  if (!is_word_character(c)) return true;
  UErrorCode status = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(static_cast<UChar32>(c), &status);
  constexpr UScriptCode kScripts[] = {USCRIPT_COMMON, USCRIPT_INHERITED, USCRIPT_LATIN,
                                      USCRIPT_GREEK, USCRIPT_CYRILLIC};
  return U_SUCCESS(status) && std::ranges::find(kScripts, script) != std::end(kScripts);
}

bool is_layout_mark(char32_t c) {
  return is_among(c, U"\u00AD\u2060\uFEFF") ||
         u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_BIDI_CONTROL);
}

bool has_pairs_of_brackets(std::string_view text) {
  int64_t open = 0;
  for (const char c : text) {
    if (c == '(' || c == '[' || c == '{') ++open;
    if (c == ')' || c == ']' || c == '}') --open;
    if (open < 0) return false;
  }
  return open == 0;
}

bool has_word(std::string_view text) {
  return next_words(text).front() < static_cast<int32_t>(text.size());
}

bool has_letter(std::string_view text) {
  return has_any(text, [](char32_t c) { return u_isalpha(static_cast<UChar32>(c)) != 0; });
}

bool has_upper_case(std::string_view text) {
  return has_any(text, [](char32_t c) { return u_isupper(static_cast<UChar32>(c)) != 0; });
}

bool has_lower_case(std::string_view text) {
  return has_any(text, [](char32_t c) { return u_islower(static_cast<UChar32>(c)) != 0; });
}

bool is_visible(std::string_view text) {
  return has_any(text, [](char32_t c) { return u_isgraph(static_cast<UChar32>(c)) != 0; });
}

std::vector<int32_t> next_words(std::string_view text) {
  std::vector<int32_t> next(text.size() + 1, static_cast<int32_t>(text.size()));
  for (auto at = static_cast<int32_t>(text.size()); at > 0;) {
    const int32_t end = at;
    UChar32 c = 0;
    U8_PREV(reinterpret_cast<const uint8_t*>(text.data()), 0, at, c);
    const int32_t found = is_word_character(valid(c)) ? at : next[static_cast<size_t>(end)];
    std::fill(next.begin() + at, next.begin() + end, found);
  }
  return next;
}

}  // namespace dietmt::nmt
