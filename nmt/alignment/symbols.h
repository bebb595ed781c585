// Emoji and symbols, which no language translates.
#pragma once

#include <cstddef>
#include <string_view>

namespace dietmt::nmt {

/// The size in bytes of the run of emoji and symbols that a text begins with; 0: none. Symbols are
/// the characters of Unicode's categories So, Sm, Sk and Co from U+2000 on, except those that are
/// read as part of a number, word or unit (U+2044, U+2212, letterlike ones such as № and ™). A run
/// has what joins and varies emoji too: variation selectors, joiners, skin tones, tags and keycaps
/// with their digits.
size_t symbols_at(std::string_view text);

}  // namespace dietmt::nmt
