// Words, spaces and punctuation of a text, as the places of markup need them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace dietmt::nmt {

/// The first or last character of UTF-8; 0 for an empty text.
char32_t first_character(std::string_view text);
char32_t last_character(std::string_view text);

/// A letter, digit or mark of any script, or a symbol such as an emoji.
bool is_word_character(char32_t c);
bool is_space(char32_t c);
/// What follows a word without a space: . , ; : ! ?
bool ends_phrase(char32_t c);
/// What may end a sentence: . ! ?
bool ends_sentence(char32_t c);
/// A bracket or quotation mark that opens; straight quotation marks both open and close.
bool opens(char32_t c);
bool closes(char32_t c);
bool is_pair(char32_t opening, char32_t closing);

/// Whether no bracket in the text opens or closes without its partner.
bool has_pairs_of_brackets(std::string_view text);

bool has_word(std::string_view text);

/// For each byte of a text and its end, where the next character of a word begins; the size if
/// there is none.
std::vector<int32_t> next_words(std::string_view text);

}  // namespace dietmt::nmt
