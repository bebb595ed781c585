// Sentence pairs of ids in memory, and a toy language pair with a known dictionary.
#pragma once

#include <cstdint>
#include <vector>

#include "common/random.h"
#include "data/shortlist/aligner.h"

namespace dietmt::data {

struct IdText {
  std::vector<std::vector<int32_t>> source;
  std::vector<std::vector<int32_t>> target;

  SentencePairs pairs(int64_t source_vocabulary, int64_t target_vocabulary) const {
    return {std::ssize(source), source_vocabulary, target_vocabulary, [this](int64_t pair) {
              const auto at = static_cast<size_t>(pair);
              return TokenPair{source[at], target[at]};
            }};
  }
};

enum class WordOrder { kKept, kVerbLast, kReversed };

/// Word w of `words` translates as (7 w + 3) mod words, which must not be a multiple of 7.
inline int32_t toy_translation(int32_t word, int32_t words) { return (7 * word + 3) % words; }

/// Sentences of 2 to 14 words with natural word frequencies. kVerbLast: the second word moves to
/// the end. Every ninth translation lacks a word, every eleventh has an extra one (word 0).
inline IdText toy_pairs(int64_t count, int32_t words, WordOrder order, uint64_t seed) {
  Random random(random_key(seed, 3));
  IdText text;
  for (int64_t i = 0; i < count; ++i) {
    std::vector<int32_t> source, target;
    for (uint64_t left = 2 + random.below(13); left > 0; --left) {
      const double u = random.uniform();
      source.push_back(static_cast<int32_t>(u * u * words));
    }
    for (const int32_t word : source) target.push_back(toy_translation(word, words));
    if (order == WordOrder::kReversed) target.assign(target.rbegin(), target.rend());
    if (order == WordOrder::kVerbLast) {
      target.push_back(target[1]);
      target.erase(target.begin() + 1);
    }
    if (i % 9 == 0) target.erase(target.begin());
    if (i % 3 == 0) target.push_back(words);
    text.source.push_back(std::move(source));
    text.target.push_back(std::move(target));
  }
  return text;
}

}  // namespace dietmt::data
