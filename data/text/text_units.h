// Where the units of a text end by Unicode's general rules, with dictionaries for languages without
// spaces between words.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace dietmt::data {

enum class TextUnit {
  kWord,  // words, numbers, punctuation and white space (annex 29)
  kLine,  // what line breaks may separate (annex 14)
};

/// The ends of the units in bytes; the last is the size of the text. `text`: UTF-8.
std::vector<size_t> unit_ends(std::string_view text, TextUnit unit);

}  // namespace dietmt::data
