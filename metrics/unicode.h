// Text for the metrics: UTF-8 strings, code points, whitespace and lower case. Whitespace is
// the set that Python's str.split() knows (Unicode White_Space and U+001C..U+001F), because the
// published scores were made with it. Ill-formed UTF-8 counts as U+FFFD.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dietmt::metrics {

bool is_space(char32_t c);

/// The 32 characters of Python's string.punctuation: all of ASCII but letters, digits, white space
/// and controls.
bool is_ascii_punctuation(char32_t c);

/// Unicode category P (Pc, Pd, Ps, Pe, Pi, Pf, Po).
bool is_punctuation(char32_t c);

/// Whether the general category of `c` is in `mask` (ICU's U_GC_*_MASK).
bool has_category(char32_t c, uint32_t mask);

/// Matches like \w in Python: letters, numbers and `_`, but not combining marks.
bool is_word_character(char32_t c);

std::u32string code_points(std::string_view utf8);

std::string to_utf8(std::u32string_view text);

/// The maximal runs without whitespace. The views point into `text`.
std::vector<std::string_view> split_words(std::string_view text);

/// `text` without whitespace at its end.
std::string_view strip_right(std::string_view text);

/// `text` without whitespace at either end.
std::string_view strip(std::string_view text);

/// Full Unicode lower case of the root locale (final sigma included).
std::string lowercase(std::string_view text);

}  // namespace dietmt::metrics
