#include "metrics/comparison/word_accuracy.h"

#include <algorithm>
#include <array>

#include "common/text_io.h"

namespace dietmt::metrics {
namespace {

// The first frequency of each group.
constexpr std::array<int64_t, 9> kFirst = {0, 1, 2, 3, 4, 5, 10, 100, 1000};

size_t group_of(int64_t frequency) {
  const auto* const next = std::ranges::upper_bound(kFirst, frequency);
  return static_cast<size_t>(next - kFirst.begin()) - 1;
}

std::string group_name(size_t group) {
  const std::string first = std::to_string(kFirst[group]);
  if (group + 1 == kFirst.size()) return first + "+";
  const int64_t last = kFirst[group + 1] - 1;
  return last == kFirst[group] ? first : first + "–" + std::to_string(last);
}

using Counts = std::array<int64_t, kFirst.size()>;

struct SystemCounts {
  Counts right{}, words{};
};

// The words that both have, as often as both have them.
Symbols shared_words(Symbols a, Symbols b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  Symbols shared;
  std::ranges::set_intersection(a, b, std::back_inserter(shared));
  return shared;
}

double f1(int64_t right, int64_t of_system, int64_t of_reference) {
  const int64_t both = of_system + of_reference;
  return both == 0 ? 0.0 : 200.0 * static_cast<double>(right) / static_cast<double>(both);
}

}  // namespace

WordFrequencies frequencies_in_reference(const NumberedTexts& texts) {
  WordFrequencies frequencies(texts.ids.words().size());
  for (const Symbols& sentence : texts.reference)
    for (const uint32_t word : sentence) ++frequencies[word];
  return frequencies;
}

WordFrequencies frequencies_in_files(const NumberedTexts& texts, const WordSplitter& words,
                                     const std::vector<std::string>& files) {
  WordFrequencies frequencies(texts.ids.words().size());
  for (const std::string& file : files) {
    LineReader reader(file, kMaxLineBytes, LongLines::kCut);
    for (std::string line; reader.next(line);)
      for (const std::string& word : words(line))
        if (const uint32_t* id = texts.ids.find(word)) ++frequencies[*id];
  }
  return frequencies;
}

std::vector<WordAccuracy> accuracy_by_frequency(const NumberedTexts& texts,
                                                const WordFrequencies& frequencies) {
  const auto add = [&](const Symbols& words, Counts& counts) {
    for (const uint32_t word : words) ++counts[group_of(frequencies[word])];
  };
  Counts reference{};
  for (const Symbols& sentence : texts.reference) add(sentence, reference);
  std::vector<SystemCounts> systems(texts.systems.size());
  for (size_t s = 0; s < systems.size(); ++s)
    for (size_t i = 0; i < texts.reference.size(); ++i) {
      add(texts.systems[s][i], systems[s].words);
      add(shared_words(texts.systems[s][i], texts.reference[i]), systems[s].right);
    }
  std::vector<WordAccuracy> all;
  for (size_t group = 0; group < kFirst.size(); ++group) {
    if (reference[group] == 0) continue;
    WordAccuracy& accuracy = all.emplace_back(WordAccuracy{group_name(group), reference[group]});
    for (const SystemCounts& system : systems)
      accuracy.f1.push_back(f1(system.right[group], system.words[group], reference[group]));
  }
  return all;
}

}  // namespace dietmt::metrics
