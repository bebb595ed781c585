// Character classes for placeholders and tags, independent of the locale.
#pragma once

namespace dietmt::nmt {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_ascii_letter(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }

}  // namespace dietmt::nmt
