// Substitutions in text whose characters remember the bytes they came from.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "data/text/source_text.h"

namespace dietmt::data {

/// Where `before` holds for a character, `from` follows it and `after` holds for the next one,
/// `from` becomes `to`. Matches are taken from left to right and do not overlap; the characters
/// that `before` and `after` looked at belong to them.
struct TextRule {
  bool (*before)(char32_t) = nullptr;  // nullptr: any place
  std::u32string_view from;
  bool (*after)(char32_t) = nullptr;
  std::u32string_view to;
};

/// Appends the characters of `to`. The last of them stands for bytes begin .. end-1, those before
/// it for none.
void append(std::u32string_view to, int32_t begin, int32_t end, Characters& text);

/// The rules one after the other, each on the whole text.
void substitute(std::span<const TextRule> rules, Characters& text);

/// White space of Unicode.
bool is_any_space(char32_t code);

/// A run of characters for which `is_space` holds becomes one space.
void join_spaces(bool (*is_space)(char32_t), Characters& text);

/// The runs of characters for which `is_space` does not hold.
std::vector<Characters> words_of(const Characters& text, bool (*is_space)(char32_t));

/// Removes white space at both ends.
void trim(Characters& text);

}  // namespace dietmt::data
