// The substitutions that the mteval scripts of NIST and tercom's normaliser share. They see bytes:
// all characters that they look for are ASCII, and the bytes of others are never digits.
#pragma once

#include <string>
#include <string_view>

namespace dietmt::metrics {

/// Replaces all occurrences of `from`, left to right.
std::string replace_all(std::string text, std::string_view from, std::string_view to);

/// &quot; &amp; &lt; &gt; become characters, in this order (so &amp;lt; becomes <).
std::string unescape_entities(std::string text);

/// Sets ASCII punctuation and symbols apart by spaces, except ' , - and .
std::string separate_symbols(std::string_view text);

/// Sets periods and commas apart unless digits stand on both sides, and dashes that follow a digit.
std::string separate_periods_and_dashes(std::string_view text);

enum class Spacing { kBeforeFirst, kAfterSecond };

/// Where `first` holds for a character and `second` for the next, a space goes between them and
/// another before or after the pair. Pairs are taken from left to right and do not overlap.
template <typename Text, typename First, typename Second>
Text separate_pairs(const Text& text, First first, Second second, Spacing spacing) {
  Text out;
  out.reserve(text.size() + text.size() / 2);
  for (size_t i = 0; i < text.size(); ++i) {
    if (i + 1 == text.size() || !first(text[i]) || !second(text[i + 1])) {
      out += text[i];
      continue;
    }
    if (spacing == Spacing::kBeforeFirst) out += ' ';
    out += text[i];
    out += ' ';
    out += text[++i];
    if (spacing == Spacing::kAfterSecond) out += ' ';
  }
  return out;
}

}  // namespace dietmt::metrics
