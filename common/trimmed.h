#pragma once

#include <algorithm>
#include <string_view>

namespace dietmt {

/// `text` without any of `characters` at its ends.
inline std::string_view trimmed(std::string_view text, std::string_view characters) {
  const size_t begin = std::min(text.find_first_not_of(characters), text.size());
  return text.substr(begin, text.find_last_not_of(characters) + 1 - begin);
}

}  // namespace dietmt
