// The n-grams of the reference that one system gets right more often than another, as compare-mt
// (Neubig et al. 2019) ranks them: by (a + 1) / (a + b + 2) if the systems get it right a and b
// times. A sentence's n-gram is right as often as both translation and reference have it.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "metrics/comparison/numbered_texts.h"

namespace dietmt::metrics {

struct NgramGain {
  std::string ngram;      // its words with spaces between
  int64_t reference = 0;  // how often the reference has it
  int64_t better = 0;     // how often the better system gets it right
  int64_t other = 0;
};

/// Counts each n-gram of up to four words once; then compares any two systems.
class NgramCounts {
 public:
  explicit NgramCounts(const NumberedTexts& texts);

  /// The `count` n-grams with the clearest gain of system `better` over `other`, best first.
  std::vector<NgramGain> gains(size_t better, size_t other, size_t count) const;

 private:
  using Ngrams = std::vector<uint32_t>;  // their numbers, in ascending order

  uint32_t longer(uint32_t ngram, uint32_t word) const;
  Ngrams ngrams_of(const Symbols& sentence) const;
  void add_ngrams(const Symbols& sentence);
  std::string text(uint32_t ngram) const;

  // An n-gram is the (n-1)-gram before its last word and that word: number << 32 | word. The n-gram
  // without a word has number 0.
  std::vector<uint64_t> keys_{0};
  std::unordered_map<uint64_t, uint32_t> numbers_;
  std::vector<std::string> words_;
  std::vector<int64_t> reference_;           // by n-gram
  std::vector<std::vector<int64_t>> right_;  // by system and n-gram
};

}  // namespace dietmt::metrics
