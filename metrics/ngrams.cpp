#include "metrics/ngrams.h"

#include <algorithm>
#include <utility>

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

using Occurrences = std::span<const Occurrence>;

// Calls visit(order, occurrences) for each distinct n-gram. If it returns false, no longer n-gram
// that begins at these occurrences is visited.
void visit_ngrams(const std::vector<Symbols>& sequences, int64_t max_order,
                  const std::function<bool(int64_t order, Occurrences occurrences)>& visit) {
  std::vector<Occurrence> occurrences;
  for (uint32_t s = 0; s < sequences.size(); ++s)
    for (uint32_t i = 0; i < sequences[s].size(); ++i) occurrences.push_back({0, s, i});
  for (int64_t order = 1; order <= max_order && !occurrences.empty(); ++order) {
    extend(occurrences, sequences, order);
    std::sort(occurrences.begin(), occurrences.end(),
              [](const Occurrence& a, const Occurrence& b) { return a.key < b.key; });
    uint64_t number = 0;
    size_t kept = 0;
    for (size_t begin = 0, end = 0; begin < occurrences.size(); begin = end) {
      const uint64_t key = occurrences[begin].key;
      while (end < occurrences.size() && occurrences[end].key == key) ++end;
      if (!visit(order, Occurrences(occurrences).subspan(begin, end - begin))) continue;
      for (size_t i = begin; i < end; ++i, ++kept)
        occurrences[kept] = {number, occurrences[i].sequence, occurrences[i].position};
      ++number;
    }
    occurrences.resize(kept);
  }
}

}  // namespace

// Only occurrences of shared n-grams can be the start of longer shared ones, so that few are left
// for the higher orders.
void for_each_shared_ngram(
    const std::vector<Symbols>& sequences, int64_t max_order,
    const std::function<void(int64_t order, std::span<const int64_t> counts)>& visit) {
  std::vector<int64_t> counts(sequences.size());
  visit_ngrams(sequences, max_order, [&](int64_t order, Occurrences occurrences) {
    std::fill(counts.begin(), counts.end(), 0);
    for (const Occurrence& one : occurrences) ++counts[one.sequence];
    if (counts[0] == 0 || counts[0] == std::ssize(occurrences)) return false;
    visit(order, counts);
    return true;
  });
}

void for_each_ngram(
    const std::vector<Symbols>& sequences, int64_t max_order,
    const std::function<void(int64_t order, std::span<const NgramCount> counts)>& visit) {
  std::vector<int64_t> counts(sequences.size());
  std::vector<NgramCount> present;
  visit_ngrams(sequences, max_order, [&](int64_t order, Occurrences occurrences) {
    present.clear();
    for (const Occurrence& one : occurrences)
      if (counts[one.sequence]++ == 0) present.push_back({one.sequence, 0});
    for (NgramCount& one : present) one.count = std::exchange(counts[one.sequence], 0);
    std::sort(present.begin(), present.end(),
              [](const NgramCount& a, const NgramCount& b) { return a.sequence < b.sequence; });
    visit(order, present);
    return true;
  });
}

}  // namespace dietmt::metrics
