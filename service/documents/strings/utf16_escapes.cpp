#include "service/documents/strings/utf16_escapes.h"

#include <unicode/utf16.h>

#include <cstdint>

#include "common/numbers.h"
#include "data/text/source_text.h"

namespace dietmt::service {
namespace {

constexpr size_t kDigits = 4;

std::optional<uint32_t> utf16_unit(std::string_view digits) {
  digits = digits.substr(0, kDigits);
  return digits.size() == kDigits ? number_in<uint32_t>(digits, 16) : std::nullopt;
}

}  // namespace

std::optional<size_t> append_utf16_escape(std::string_view escaped, std::string& text) {
  constexpr size_t kPrefix = 2;  // of the next escape
  const std::optional<uint32_t> lead = utf16_unit(escaped);
  if (!lead) return std::nullopt;
  const std::string_view rest = escaped.substr(kDigits);
  if (U16_IS_LEAD(*lead) && rest.size() > kPrefix && rest[0] == '\\' &&
      (rest[1] == 'u' || rest[1] == 'U')) {
    const std::optional<uint32_t> trail = utf16_unit(rest.substr(kPrefix));
    if (trail && U16_IS_TRAIL(*trail)) {
      data::append_utf8(static_cast<char32_t>(U16_GET_SUPPLEMENTARY(*lead, *trail)), text);
      return kDigits + kPrefix + kDigits;
    }
  }
  data::append_utf8(U_IS_SURROGATE(*lead) ? char32_t{0xFFFD} : char32_t{*lead}, text);
  return kDigits;
}

std::string utf16_escape(char32_t character) {
  constexpr const char* kHexadecimal = "0123456789ABCDEF";
  std::string escaped;
  const auto add = [&](uint32_t unit) {
    escaped += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) escaped += kHexadecimal[unit >> shift & 0xF];
  };
  if (character <= 0xFFFF) {
    add(character);
  } else {
    add(U16_LEAD(character));
    add(U16_TRAIL(character));
  }
  return escaped;
}

}  // namespace dietmt::service
