// Counting the n-grams that a hypothesis and its references share; BLEU counts words, chrF
// characters and words.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dietmt::metrics {

/// A sentence as numbers: code points, or words numbered by a WordIds.
using Symbols = std::vector<uint32_t>;

/// Numbers distinct words 0, 1, ... in the order of their first appearance.
class WordIds {
 public:
  template <typename Words>
  Symbols number(const Words& words) {
    Symbols symbols;
    symbols.reserve(words.size());
    for (const auto& word : words)
      symbols.push_back(ids_.try_emplace(std::string(word), ids_.size()).first->second);
    return symbols;
  }

  /// Null if the word has no number.
  const uint32_t* find(const std::string& word) const {
    const auto found = ids_.find(word);
    return found == ids_.end() ? nullptr : &found->second;
  }

  /// The words by their numbers.
  std::vector<std::string_view> words() const {
    std::vector<std::string_view> all(ids_.size());
    for (const auto& [word, id] : ids_) all[id] = word;
    return all;
  }

 private:
  std::unordered_map<std::string, uint32_t> ids_;
};

/// Calls visit(order, counts) once for each distinct n-gram, 1 <= order <= max_order, that the
/// first sequence (the hypothesis) shares with another one; counts[s] is how often it occurs in
/// sequence s. Orders come ascending.
void for_each_shared_ngram(
    const std::vector<Symbols>& sequences, int64_t max_order,
    const std::function<void(int64_t order, std::span<const int64_t> counts)>& visit);

struct NgramCount {
  uint32_t sequence = 0;
  int64_t count = 0;  // in it
};

/// Calls visit(order, counts) once for each distinct n-gram of any sequence, 1 <= order <=
/// max_order, with the sequences that have it, in ascending order. Orders come ascending.
void for_each_ngram(
    const std::vector<Symbols>& sequences, int64_t max_order,
    const std::function<void(int64_t order, std::span<const NgramCount> counts)>& visit);

/// Number of n-grams of one order in a sequence.
inline int64_t ngram_total(const Symbols& sequence, int64_t order) {
  return std::max<int64_t>(0, static_cast<int64_t>(sequence.size()) - order + 1);
}

}  // namespace dietmt::metrics
