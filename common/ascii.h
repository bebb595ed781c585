// Classes of ASCII characters, independent of the locale. Other bytes of UTF-8 are in none.
#pragma once

namespace dietmt {

constexpr bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_ascii_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_ascii_letter(char c) { return is_ascii_lower(c) || (c >= 'A' && c <= 'Z'); }
constexpr bool is_ascii_word(char c) { return is_ascii_digit(c) || is_ascii_letter(c); }

}  // namespace dietmt
