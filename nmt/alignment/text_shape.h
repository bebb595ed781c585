// Words, spaces and punctuation of a text, as the places of markup need them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace dietmt::nmt {

/// The first or last character of UTF-8; 0 for an empty text.
char32_t first_character(std::string_view text);
char32_t last_character(std::string_view text);

/// Of UTF-8 that is not empty.
int32_t bytes_of_first(std::string_view text);
int32_t bytes_of_last(std::string_view text);
void drop_first(std::string_view& text);
void drop_last(std::string_view& text);

/// A letter, digit or mark of any script, or a symbol such as an emoji.
bool is_word_character(char32_t c);
bool is_space(char32_t c);
/// What follows a word without a space: . , ; : ! ?
bool ends_phrase(char32_t c);
/// What may end a sentence: . ! ?
bool ends_sentence(char32_t c);
/// The inverted marks of Spanish.
bool starts_sentence(char32_t c);
/// A bracket or quotation mark that opens; straight quotation marks both open and close.
bool opens(char32_t c);
bool closes(char32_t c);
bool is_pair(char32_t opening, char32_t closing);
/// $ € £ ...
bool is_currency(char32_t c);
/// Whether a character continues what is written together with a placeholder: punctuation other
/// than dashes, symbols, and letters of scripts in which that is no sentence, or word before a
/// word.
bool is_written_together(char32_t c);

/// Whether no bracket in the text opens or closes without its partner.
bool has_pairs_of_brackets(std::string_view text);

bool has_word(std::string_view text);

/// For each byte of a text and its end, where the next character of a word begins; the size if
/// there is none.
std::vector<int32_t> next_words(std::string_view text);

}  // namespace dietmt::nmt
