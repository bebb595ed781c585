// Emoji and symbols, which no language translates.
#pragma once

#include <cstddef>
#include <string_view>

namespace dietmt::nmt {

/// The size in bytes of the run of emoji and symbols that a text begins with; 0: none. Symbols are
/// the characters of Unicode's categories So, Sm, Sk and Co from U+2000 on, except those that are
/// read as part of a number, word or unit (U+2044, U+2212, letterlike ones such as № and ℃). So
/// are superscripts, subscripts, fractions and circled characters, whose form says what they mean:
/// m², H₂O, ™, ½, ①. A run has what joins and varies emoji too: variation selectors, joiners, skin
/// tones, tags and keycaps with their digits.
size_t symbols_at(std::string_view text);

/// The word that `symbols` are inside, if they end with a superscript, subscript or fraction: all
/// of H₂O and 2½-inch, but only the end of m². `text` has them; the word begins at byte `first` of
/// it or later.
std::string_view with_word_around(std::string_view text, size_t first, std::string_view symbols);

}  // namespace dietmt::nmt
