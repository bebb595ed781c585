// What ends a sentence in each language: abbreviations, the words that begin sentences, ordinals.
#pragma once

#include <span>
#include <string_view>
#include <unordered_set>

namespace dietmt::data {

struct SentenceRules {
  /// Abbreviations without their last full stop.
  class Words : public std::unordered_set<std::string_view> {
   public:
    using unordered_set::unordered_set;

    /// Whether `word` is one of them, or begins with a capital letter and is one without it.
    bool has(std::string_view word) const;
  };
  using Names = std::unordered_set<std::string_view>;

  Words inside = {};         // whose full stop ends no sentence: Dr, e.g
  Words before_number = {};  // likewise, before a number: No, Fig
  Words anywhere = {};       // whose full stop ends a sentence if a starter follows: Inc
  Words times = {};          // whose full stop ends a sentence unless one of these follows: p.m
  Names after_times = {};
  Names speech = {};      // said, asked: none begins a sentence
  Names starters = {};    // words that begin a sentence, rarely names or nouns
  Names names = {};       // that end with an exclamation mark, written without it: Yahoo
  bool ordinals = false;  // "3." is "third"

  /// `language`: a code, with or without a region or script. An unknown language has no words.
  static const SentenceRules& of(std::string_view language);
};

/// Thai words of politeness at the end of a sentence, and those with which a clause continues one.
std::span<const std::string_view> thai_particles();
std::span<const std::string_view> thai_continuations();

}  // namespace dietmt::data
