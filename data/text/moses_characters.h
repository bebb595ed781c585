// Characters as Moses' tokenizer sees them, by the tables of the package sacremoses 0.2: those of
// Unicode 7 in its first plane, where Chinese characters and Korean syllables are symbols.
#pragma once

namespace dietmt::data {

/// Letters, and the marks that belong to them. The tables lack a few marks of Tibetan, Burmese and
/// other Brahmic scripts, which are letters here.
bool is_moses_letter(char32_t code);

bool is_moses_letter_or_digit(char32_t code);
bool is_moses_number(char32_t code);
bool is_moses_lowercase(char32_t code);
bool is_moses_currency(char32_t code);

}  // namespace dietmt::data
