// Where the sentences of a line end, by the stops of Unicode annex 29 and the rules of a language.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::data {

/// The ends of the sentences of a line, in bytes, each after the white space that follows it; the
/// last is the size of the line. `language`: a code, with or without a region or script. Takes time
/// in proportion to the line.
std::vector<size_t> sentence_ends(std::string_view line, const std::string& language);

}  // namespace dietmt::data
