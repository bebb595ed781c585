// Learns byte pair encoding (Sennrich et al. 2016): joins the most frequent pair of neighbouring
// symbols again and again.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace dietmt::data {

class MergeLearner {
 public:
  /// The symbol that two become, or -1 if they must not be joined.
  using Join = std::function<int32_t(int32_t left, int32_t right)>;

  /// A word of so many occurrences.
  void add(std::vector<int32_t> symbols, int64_t count);

  /// Joins up to `most` pairs that occur twice or more. Of pairs with the same count, the one with
  /// the lower symbols is first.
  void learn(int64_t most, const Join& join);

 private:
  struct Word {
    std::vector<int32_t> symbols;
    int64_t count;
  };

  /// Adds the pairs of a word, `times` 1 or -1, to the counts.
  void count_pairs(size_t word, int64_t times, std::unordered_set<uint64_t>* changed);

  std::vector<Word> words_;
  std::unordered_map<uint64_t, int64_t> counts_;              // by pair
  std::unordered_map<uint64_t, std::vector<size_t>> places_;  // words that have or had the pair
};

}  // namespace dietmt::data
