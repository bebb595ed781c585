// Numbers in text.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace dietmt {

/// The number that the whole of `text` writes, in the form of std::from_chars: without spaces and
/// without "+". `base`: of whole numbers, 10 if it is not given. None if `text` is anything else,
/// or a number that Number cannot hold.
template <typename Number, typename... Base>
std::optional<Number> number_in(std::string_view text, Base... base) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, base...);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

/// The character of a numeric reference of HTML and XML, from what stands between "&#" and ";":
/// "233" or "xE9". None if there is no such character, and for 0.
inline std::optional<char32_t> numbered_character(std::string_view text) {
  const bool is_hexadecimal = text.starts_with('x') || text.starts_with('X');
  const uint32_t code =
      number_in<uint32_t>(text.substr(is_hexadecimal ? 1 : 0), is_hexadecimal ? 16 : 10)
          .value_or(0);
  const bool is_character = code > 0 && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  return is_character ? std::optional<char32_t>(code) : std::nullopt;
}

}  // namespace dietmt
