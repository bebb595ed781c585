// Text as GPT-2 (Radford et al. 2019) divides it before byte pair encoding, and its alphabet, which
// writes any bytes as visible characters.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::data {

/// The ends of the words of a UTF-8 text: an English contraction ('s, 't, 're, 've, 'm, 'll, 'd);
/// letters, digits, or other visible characters, each with the space before them; white space. A
/// run of white space leaves its last character to what follows it.
std::vector<size_t> byte_word_ends(std::string_view text);

/// The bytes that a text in GPT-2's alphabet stands for; nullopt if it has other characters.
std::optional<std::string> bytes_of_alphabet(std::string_view text);

}  // namespace dietmt::data
