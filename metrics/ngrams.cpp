#include "metrics/ngrams.h"

#include <algorithm>

namespace dietmt::metrics {
namespace {

struct Occurrence {
  uint64_t key;
  uint32_t sequence;
  uint32_t position;
};

// Turns the numbers of (n-1)-grams into keys of n-grams: that number and the last symbol, a pair of
// 32-bit values. Equal keys are equal n-grams. Occurrences that end their sequence are dropped.
void extend(std::vector<Occurrence>& occurrences, const std::vector<Symbols>& sequences,
            int64_t order) {
  size_t kept = 0;
  for (const Occurrence& o : occurrences) {
    const size_t last = o.position + static_cast<size_t>(order) - 1;
    const Symbols& sequence = sequences[o.sequence];
    if (last < sequence.size())
      occurrences[kept++] = {o.key << 32 | sequence[last], o.sequence, o.position};
  }
  occurrences.resize(kept);
}

}  // namespace

// Only occurrences of shared n-grams can be the start of longer shared ones, so that few are left
// for the higher orders.
void for_each_shared_ngram(
    const std::vector<Symbols>& sequences, int64_t max_order,
    const std::function<void(int64_t order, std::span<const int64_t> counts)>& visit) {
  std::vector<Occurrence> occurrences;
  for (uint32_t s = 0; s < sequences.size(); ++s)
    for (uint32_t i = 0; i < sequences[s].size(); ++i) occurrences.push_back({0, s, i});
  std::vector<int64_t> counts(sequences.size());
  for (int64_t order = 1; order <= max_order && !occurrences.empty(); ++order) {
    extend(occurrences, sequences, order);
    std::sort(occurrences.begin(), occurrences.end(),
              [](const Occurrence& a, const Occurrence& b) { return a.key < b.key; });
    uint64_t number = 0;
    size_t kept = 0;
    for (size_t begin = 0, end = 0; begin < occurrences.size(); begin = end) {
      std::fill(counts.begin(), counts.end(), 0);
      const uint64_t key = occurrences[begin].key;
      for (; end < occurrences.size() && occurrences[end].key == key; ++end)
        ++counts[occurrences[end].sequence];
      if (counts[0] == 0 || counts[0] == static_cast<int64_t>(end - begin)) continue;
      visit(order, counts);
      for (size_t i = begin; i < end; ++i, ++kept)
        occurrences[kept] = {number, occurrences[i].sequence, occurrences[i].position};
      ++number;
    }
    occurrences.resize(kept);
  }
}

}  // namespace dietmt::metrics
