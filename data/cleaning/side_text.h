// What the rules of cleaning know about one side of a pair, counted in one pass over its
// characters.
#pragma once

#include <cstdint>
#include <string_view>

namespace dietmt::data {

struct SideText {
  std::string_view text;         // a line in UTF-8, or what claims to be one
  int64_t characters = 0;        // an ill-formed sequence is one
  int64_t width = 0;             // characters, wide ones (Han, kana, hangul) counted twice
  int64_t words = 0;             // runs without white space
  int64_t spaces = 0;            // characters of white space
  int64_t longest_word = 0;      // characters; scripts without spaces between words do not count
  int64_t letters = 0;           // Unicode's property Alphabetic, which includes vowel signs
  int64_t digits = 0;            // decimal digits of all scripts
  bool is_utf8 = true;           // no ill-formed sequence
  bool has_control = false;      // control characters, line separators and noncharacters; not tabs
  bool has_replacement = false;  // U+FFFD
  bool is_mojibake = false;      // UTF-8 that was read as Windows-1252: "fÃ¼r", "donâ€™t"
};

SideText measured(std::string_view text);

}  // namespace dietmt::data
