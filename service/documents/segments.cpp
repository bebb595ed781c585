#include "service/documents/segments.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <cstdint>

namespace dietmt::service {

bool has_letter(std::string_view text) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  const auto end = static_cast<int64_t>(text.size());
  for (int64_t at = 0; at < end;) {
    UChar32 character = 0;
    U8_NEXT(bytes, at, end, character);
    if (character >= 0 && u_isalpha(character)) return true;
  }
  return false;
}

std::optional<SegmentPlace> add_segment(std::string_view text, std::vector<std::string>& segments) {
  constexpr const char* kSpaces = " \t\r\n";
  if (!has_letter(text)) return std::nullopt;
  const size_t begin = text.find_first_not_of(kSpaces);
  const size_t end = text.find_last_not_of(kSpaces) + 1;
  segments.emplace_back(text.substr(begin, end - begin));
  return SegmentPlace{segments.size() - 1, std::string(text.substr(0, begin)),
                      std::string(text.substr(end))};
}

}  // namespace dietmt::service
