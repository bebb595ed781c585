// Character classes of a text, independent of the locale, for placeholders and placing markup.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace dietmt::nmt {

constexpr bool is_brace(char c) { return c == '{' || c == '}'; }

/// The first or last character of UTF-8 text; 0 if it is empty.
char32_t first_character(std::string_view text);
char32_t last_character(std::string_view text);

/// Byte lengths of those characters; the text must not be empty.
int32_t bytes_of_first(std::string_view text);
int32_t bytes_of_last(std::string_view text);
void drop_first(std::string_view& text);
void drop_last(std::string_view& text);

/// The characters at the start of a text up to the first one that is not `wanted`.
template <typename Condition>
std::string_view first_run(std::string_view text, const Condition& wanted) {
  std::string_view rest = text;
  while (!rest.empty() && wanted(first_character(rest))) drop_first(rest);
  return text.substr(0, text.size() - rest.size());
}

/// Those at its end.
template <typename Condition>
std::string_view last_run(std::string_view text, const Condition& wanted) {
  std::string_view rest = text;
  while (!rest.empty() && wanted(last_character(rest))) drop_last(rest);
  return text.substr(rest.size());
}

/// A letter, digit or mark of any script, or a symbol such as an emoji.
bool is_word_character(char32_t c);
bool is_space(char32_t c);
/// Punctuation that follows a word without a space: . , ; : ! ?
bool ends_phrase(char32_t c);
/// Punctuation that may end a sentence: . ! ?
bool ends_sentence(char32_t c);
/// The Spanish inverted marks.
bool starts_sentence(char32_t c);
/// An opening bracket or quotation mark; straight quotation marks both open and close.
bool opens(char32_t c);
bool closes(char32_t c);
bool is_pair(char32_t opening, char32_t closing);
/// $ € £ ...
bool is_currency(char32_t c);
/// Whether text attached to a placeholder can contain the character: punctuation other than dashes,
/// symbols, and letters of scripts in which neither a sentence nor a word is attached like this.
bool is_written_together(char32_t c);

/// Invisible and without meaning: soft hyphens, word joiners, byte order marks, and marks that set
/// the direction. Joiners of letters and of emoji are none.
bool is_layout_mark(char32_t c);

/// Whether every bracket in the text has its partner.
bool has_pairs_of_brackets(std::string_view text);

bool has_word(std::string_view text);

/// Whether any script's letter is in the text: `12:30`, `---` and emoji have none.
bool has_letter(std::string_view text);
bool has_upper_case(std::string_view text);
bool has_lower_case(std::string_view text);
/// Whether the text has a character with a shape: not only spaces, controls and format characters.
bool is_visible(std::string_view text);

/// For each byte of a text and its end, where the next word character begins; the size if there is
/// none.
std::vector<int32_t> next_words(std::string_view text);

}  // namespace dietmt::nmt
