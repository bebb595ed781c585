#include "metrics/ngrams.h"

#include <algorithm>

namespace dietmt::metrics {
namespace {

struct Occurrence {
  uint64_t key;
  uint32_t sequence;
  uint32_t position;
};

}  // namespace

// An n-gram is its first n-1 symbols, known by their number in the round before, and its last one:
// a pair of 32-bit numbers, so that equal keys are equal n-grams and sorting brings them together.
void for_each_ngram(
    const std::vector<Symbols>& sequences, int64_t max_order,
    const std::function<void(int64_t order, std::span<const int64_t> counts)>& visit) {
  std::vector<Symbols>
      prefixes;  // [sequence][position]: number of the (n-1)-gram that starts there
  for (const Symbols& sequence : sequences) prefixes.emplace_back(sequence.size(), 0);
  std::vector<Occurrence> occurrences;
  std::vector<int64_t> counts(sequences.size());
  for (int64_t order = 1; order <= max_order; ++order) {
    occurrences.clear();
    for (uint32_t s = 0; s < sequences.size(); ++s) {
      const auto total = static_cast<uint32_t>(ngram_total(sequences[s], order));
      for (uint32_t i = 0; i < total; ++i) {
        const uint64_t last = sequences[s][i + static_cast<uint32_t>(order) - 1];
        occurrences.push_back({uint64_t{prefixes[s][i]} << 32 | last, s, i});
      }
    }
    if (occurrences.empty()) return;
    std::sort(occurrences.begin(), occurrences.end(),
              [](const Occurrence& a, const Occurrence& b) { return a.key < b.key; });
    uint32_t number = 0;
    for (size_t begin = 0, end = 0; begin < occurrences.size(); begin = end, ++number) {
      std::fill(counts.begin(), counts.end(), 0);
      for (; end < occurrences.size() && occurrences[end].key == occurrences[begin].key; ++end) {
        ++counts[occurrences[end].sequence];
        prefixes[occurrences[end].sequence][occurrences[end].position] = number;
      }
      visit(order, counts);
    }
  }
}

}  // namespace dietmt::metrics
