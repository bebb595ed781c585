#include "nmt/alignment/symbols.h"

#include <unicode/uchar.h>

#include "common/ascii.h"
#include "nmt/alignment/text_shape.h"

namespace dietmt::nmt {
namespace {

constexpr char32_t kFirst = U'\u2000';
constexpr std::string_view kKeycap = "\u20E3", kEmojiStyle = "\uFE0F";

bool is_read_as_text(char32_t c) {
  constexpr char32_t kFraction = U'\u2044', kMinus = U'\u2212';
  constexpr char32_t kLetterlike = U'\u2100', kLastLetterlike = U'\u214F';
  return c == kFraction || c == kMinus || (c >= kLetterlike && c <= kLastLetterlike);
}

bool has_decomposition(char32_t c, UDecompositionType type) {
  return u_getIntPropertyValue(static_cast<UChar32>(c), UCHAR_DECOMPOSITION_TYPE) == type;
}

// Superscript or subscript, but none of letters such as º.
bool is_raised(char32_t c) {
  return (has_decomposition(c, U_DT_SUPER) || has_decomposition(c, U_DT_SUB)) &&
         !u_isalpha(static_cast<UChar32>(c));
}

bool is_fraction(char32_t c) { return has_decomposition(c, U_DT_FRACTION); }

// NFKC, which many tokenizers apply, makes 102 of 10² and 21/2 of 2½.
bool loses_its_form(char32_t c) {
  return is_raised(c) || is_fraction(c) || has_decomposition(c, U_DT_CIRCLE);
}

// A letter or digit of H₂O.
bool is_in_formula(char32_t c) {
  return is_raised(c) || (u_isalnum(static_cast<UChar32>(c)) && is_written_together(c));
}

bool is_symbol(char32_t c) {
  constexpr uint32_t kSymbols = U_GC_SO_MASK | U_GC_SM_MASK | U_GC_SK_MASK | U_GC_CO_MASK;
  const auto code = static_cast<UChar32>(c);
  if (loses_its_form(c)) return true;
  if (c < kFirst || is_read_as_text(c)) return false;
  return (U_GET_GC_MASK(code) & kSymbols) != 0 || u_hasBinaryProperty(code, UCHAR_EMOJI);
}

bool continues_emoji(char32_t c) {
  constexpr char32_t kJoiner = U'\u200D', kEnclosing = U'\u20E3';
  constexpr char32_t kFirstTag = U'\U000E0020', kLastTag = U'\U000E007F';
  return c == kJoiner || c == kEnclosing || (c >= kFirstTag && c <= kLastTag) ||
         u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_VARIATION_SELECTOR);
}

// 1️⃣ #️⃣ *️⃣
size_t keycap_at(std::string_view text) {
  const char key = text.empty() ? ' ' : text.front();
  if (!is_ascii_digit(key) && key != '#' && key != '*') return 0;
  std::string_view rest = text.substr(1);
  if (rest.starts_with(kEmojiStyle)) rest.remove_prefix(kEmojiStyle.size());
  return rest.starts_with(kKeycap) ? text.size() - rest.size() + kKeycap.size() : 0;
}

}  // namespace

size_t symbols_at(std::string_view text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const char32_t c = first_character(rest);
    if (const size_t keycap = keycap_at(rest))
      rest.remove_prefix(keycap);
    else if (is_symbol(c) || (rest.size() < text.size() && continues_emoji(c)))
      drop_first(rest);
    else
      break;
  }
  return text.size() - rest.size();
}

std::string_view with_word_around(std::string_view text, size_t first, std::string_view symbols) {
  const char32_t last = last_character(symbols);
  if (!is_raised(last) && !is_fraction(last)) return symbols;
  const auto begin = static_cast<size_t>(symbols.data() - text.data());
  const size_t end = begin + symbols.size();
  const size_t hyphen = is_fraction(last) && text.substr(end).starts_with('-') ? 1 : 0;
  const size_t after = first_run(text.substr(end + hyphen), is_in_formula).size();
  if (after == 0) return symbols;
  const size_t before = last_run(text.substr(first, begin - first), is_in_formula).size();
  if (before == 0 && hyphen == 0) return symbols;
  return text.substr(begin - before, before + symbols.size() + hyphen + after);
}

}  // namespace dietmt::nmt
