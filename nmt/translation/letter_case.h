// The case of the letters of words.
#pragma once

#include <unicode/uchar.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "data/text/text_characters.h"
#include "data/text/tokenizer.h"

namespace dietmt::nmt {

constexpr size_t kLongWord = 4;  // in letters; headlines write shorter ones in both ways

/// A letter, mark or apostrophe.
bool is_joined(UChar32 code);

/// Calls use(word, is_word) with the words of a text, which are letters and apostrophes, and with
/// what is between them.
template <typename Use>
void for_each_word(std::string_view text, const Use& use) {
  size_t begin = 0, at = 0;
  bool in_word = false;
  while (at < text.size()) {
    const data::Character one = data::first_character_of(text.substr(at));
    if (is_joined(one.code) != in_word) {
      if (at > begin) use(text.substr(begin, at - begin), in_word);
      begin = at;
      in_word = !in_word;
    }
    at += one.bytes;
  }
  if (at > begin) use(text.substr(begin), in_word);
}

struct Letters {
  size_t count = 0;
  size_t capitals = 0;
  size_t small = 0;
  bool begins_with_capital = false;
};

Letters letters_of(std::string_view word);

/// A character at the start of `word` in another case, or as it is if that has another size.
std::string of_same_size(std::string_view word, data::Character one, UChar32 wanted);

/// A word in small letters, except that the first may stay. All bytes keep their positions.
std::string small_letters(std::string_view word, bool keeps_first);

/// How badly the vocabulary knows a word: its pieces, where an unknown one stands for many.
size_t cost_of(std::string_view word, const data::Tokenizer& tokenizer);

}  // namespace dietmt::nmt
