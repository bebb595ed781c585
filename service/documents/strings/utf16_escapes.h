// Characters written as \uXXXX, those beyond U+FFFF as two of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dietmt::service {

/// Appends the character of the hexadecimal digits at the start of `escaped`, and of the low
/// surrogate after it. Returns the number of bytes read; unset without four digits.
std::optional<size_t> append_utf16_escape(std::string_view escaped, std::string& text);

/// \uXXXX, twice for characters beyond U+FFFF.
std::string utf16_escape(char32_t character);

}  // namespace dietmt::service
