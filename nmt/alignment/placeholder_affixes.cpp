#include "nmt/alignment/placeholder_affixes.h"

#include "common/ascii.h"
#include "nmt/alignment/text_shape.h"

namespace dietmt::nmt {
namespace {

int32_t size_of(std::string_view text) { return static_cast<int32_t>(text.size()); }

// A quotation mark or bracket outside ASCII; languages differ in which of them opens.
bool quotes(char32_t c) { return c >= 0x80 && (opens(c) || closes(c)); }

bool opens_or_quotes(char32_t c) { return opens(c) || quotes(c); }

// Length up to the first unmatched ).
size_t balanced_length(std::string_view text) {
  int64_t open = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    open += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (open < 0) return i;
  }
  return text.size();
}

// Whether it begins an address: mailto: before {0}@x.org, but not Size: before {0}KB.
bool is_scheme(std::string_view left, std::string_view after) {
  return left.ends_with(':') && is_ascii_lower(left.front()) &&
         !is_word_character(first_character(after)) && has_word(after);
}

int32_t compound_before(std::string_view left, std::string_view after) {
  left = last_run(left, is_written_together);
  while (opens_or_quotes(first_character(left))) drop_first(left);
  const char32_t last = last_character(left);
  const bool joins =
      last != 0 && !ends_phrase(last) && !opens(last) && !closes(last) && !starts_sentence(last);
  return joins || is_scheme(left, after) ? size_of(left) : 0;
}

int32_t currency_before(std::string_view left) {
  constexpr int32_t kLongest = 6;  // US$
  const std::string_view before = left.substr(0, left.size() - last_run(left, is_space).size());
  const std::string_view word = last_run(before, is_written_together);
  const bool is_amount =
      before.size() < left.size() && is_currency(last_character(word)) && size_of(word) <= kLongest;
  return is_amount ? size_of(left) - size_of(before) + size_of(word) : 0;
}

int32_t currency_after(std::string_view right) {
  std::string_view after = right;
  while (!after.empty() && is_space(first_character(after))) drop_first(after);
  const char32_t sign = first_character(after);
  const bool is_sign = is_currency(sign) || sign == U'%' || sign == U'\u2030';
  if (after.size() == right.size() || !is_sign) return 0;
  drop_first(after);
  const char32_t next = first_character(after);
  const bool is_alone = next == 0 || is_space(next) || ends_phrase(next) || closes(next);
  return is_alone ? size_of(right) - size_of(after) : 0;
}

int32_t compound_after(std::string_view right) {
  right = first_run(right, is_written_together);
  right = right.substr(0, balanced_length(right));
  const auto strip = [&](bool with_bracket) {
    for (char32_t last = last_character(right); ends_phrase(last) || closes(last) || quotes(last);
         last = last_character(right)) {
      if (last == U')' && !with_bracket) return;
      drop_last(right);
    }
  };
  strip(false);
  if (right.ends_with(')') && !has_pairs_of_brackets(right)) strip(true);
  const char32_t first = first_character(right);
  std::string_view rest = right;
  if (!rest.empty()) drop_first(rest);
  const char32_t second = first_character(rest);
  const bool starts_name = first == U'.' || first == U':' || first == U'\'' || first == U'\u2019';
  const bool is_name = starts_name && (is_word_character(second) || second == U'/');
  const bool joins = first != 0 && !ends_phrase(first) && !closes(first) && !quotes(first);
  return is_name || joins ? size_of(right) : 0;
}

}  // namespace

int32_t bytes_joined_before(std::string_view left, std::string_view after) {
  const int32_t compound = compound_before(left, after);
  return compound > 0 ? compound : currency_before(left);
}

int32_t bytes_joined_after(std::string_view right) {
  const int32_t compound = compound_after(right);
  return compound > 0 ? compound : currency_after(right);
}

}  // namespace dietmt::nmt
