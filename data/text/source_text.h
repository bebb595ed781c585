// Text as characters that remember the bytes they came from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::data {

/// A character, as it is or normalised, and bytes begin .. end-1 of the original text.
struct SourceCharacter {
  char32_t code;
  int32_t begin;
  int32_t end;
};

using Characters = std::vector<SourceCharacter>;

/// The characters of bytes begin .. end-1 of `text`. An ill-formed sequence counts as U+FFFD (its
/// maximal subparts one by one).
Characters source_characters(std::string_view text, int32_t begin, int32_t end);

void append_utf8(char32_t code, std::string& text);

}  // namespace dietmt::data
