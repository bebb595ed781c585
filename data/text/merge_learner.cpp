#include "data/text/merge_learner.h"

#include <algorithm>
#include <queue>
#include <utility>

namespace dietmt::data {
namespace {

uint64_t pair_of(int32_t left, int32_t right) {
  return static_cast<uint64_t>(left) << 32 | static_cast<uint32_t>(right);
}

struct Candidate {
  int64_t count;
  uint64_t pair;

  // Whether the other comes first.
  bool operator<(const Candidate& other) const {
    return count < other.count || (count == other.count && pair > other.pair);
  }
};

void join_all(std::vector<int32_t>& symbols, int32_t left, int32_t right, int32_t joined) {
  size_t to = 0;
  for (size_t from = 0; from < symbols.size(); ++from) {
    const bool is_pair =
        from + 1 < symbols.size() && symbols[from] == left && symbols[from + 1] == right;
    symbols[to++] = is_pair ? joined : symbols[from];
    if (is_pair) ++from;
  }
  symbols.resize(to);
}

}  // namespace

void MergeLearner::add(std::vector<int32_t> symbols, int64_t count) {
  words_.push_back({std::move(symbols), count});
  count_pairs(words_.size() - 1, 1, nullptr);
}

void MergeLearner::count_pairs(size_t word, int64_t times, std::unordered_set<uint64_t>* changed) {
  const Word& one = words_[word];
  for (size_t i = 0; i + 1 < one.symbols.size(); ++i) {
    const uint64_t pair = pair_of(one.symbols[i], one.symbols[i + 1]);
    counts_[pair] += times * one.count;
    if (times > 0) places_[pair].push_back(word);
    if (changed != nullptr) changed->insert(pair);
  }
}

void MergeLearner::learn(int64_t most, const Join& join) {
  std::priority_queue<Candidate> candidates;
  for (const auto& [pair, count] : counts_) candidates.push({count, pair});
  while (most > 0 && !candidates.empty()) {
    const auto [count, pair] = candidates.top();
    candidates.pop();
    if (count < 2) return;
    if (counts_[pair] != count) continue;  // it is there with its new count
    const auto left = static_cast<int32_t>(pair >> 32), right = static_cast<int32_t>(pair);
    const int32_t joined = join(left, right);
    if (joined < 0) {
      counts_[pair] = 0;
      continue;
    }
    --most;
    std::vector<size_t> words = std::move(places_[pair]);
    std::ranges::sort(words);
    words.erase(std::ranges::unique(words).begin(), words.end());
    std::unordered_set<uint64_t> changed;
    for (const size_t word : words) {
      count_pairs(word, -1, &changed);
      join_all(words_[word].symbols, left, right, joined);
      count_pairs(word, 1, &changed);
    }
    counts_[pair] = 0;
    for (const uint64_t one : changed)
      if (counts_[one] > 0 && one != pair) candidates.push({counts_[one], one});
  }
}

}  // namespace dietmt::data
