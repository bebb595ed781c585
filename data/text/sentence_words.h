// The words of each language that decide where its sentences end, as lists to be searched.
#pragma once

#include <span>
#include <string_view>

namespace dietmt::data {

/// Words separated by spaces; SentenceRules says what each list is for.
struct SentenceWords {
  std::string_view language;
  std::string_view inside, before_number, anywhere;
  std::string_view starters = {};
  bool ordinals = false;
};

std::span<const SentenceWords> western_sentence_words();
std::span<const SentenceWords> eastern_sentence_words();

}  // namespace dietmt::data
