// Text as characters, for finding terms as whole words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dietmt::data {

/// Whether a character is a letter, digit or mark of a script that puts spaces between words. Those
/// of Chinese, Japanese, Thai, Lao, Khmer, Myanmar and Tibetan are not.
bool joins_word(char32_t c);

/// The characters of UTF-8; U+FFFD for ill-formed bytes.
std::u32string characters_of(std::string_view text);
std::string utf8_of(std::u32string_view characters);

/// UTF-8 in NFKC, as tokenizers of sentencepiece read text; ill-formed bytes become U+FFFD.
std::string in_nfkc(std::string_view text);
/// In NFC, in the same way.
std::string in_nfc(std::string_view text);

/// A character in simple case folding.
char32_t folded(char32_t c);

/// Whether a character is in upper or title case.
bool is_capital(char32_t c);

/// A character in upper case, if that is a single one.
char32_t capital(char32_t c);

struct WordText {
  /// In NFKC: "e" followed by an accent is "é", and a full-width letter is the usual one. White
  /// space at both ends is left out, and each other run of it is one space.
  explicit WordText(std::string_view text);

  /// Whether a word can begin or end before this character: it is not inside one.
  bool is_edge(size_t at) const;

  std::u32string characters;
};

}  // namespace dietmt::data
