#include "data/text/source_text.h"

#include <unicode/utf8.h>

namespace dietmt::data {

Characters source_characters(std::string_view text, int32_t begin, int32_t end) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  Characters characters;
  characters.reserve(static_cast<size_t>(end - begin));
  for (int32_t at = begin; at < end;) {
    const int32_t start = at;
    UChar32 code = 0;
    U8_NEXT_OR_FFFD(bytes, at, end, code);
    characters.push_back({static_cast<char32_t>(code), start, at});
  }
  return characters;
}

void append_utf8(char32_t code, std::string& text) {
  uint8_t bytes[U8_MAX_LENGTH];
  size_t length = 0;
  U8_APPEND_UNSAFE(bytes, length, static_cast<UChar32>(code));
  text.append(reinterpret_cast<const char*>(bytes), length);
}

}  // namespace dietmt::data
