#include "data/shortlist/build_shortlist.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>

namespace dietmt::data {
namespace {

// The ids of the most frequent target tokens and end of sentence, ascending.
std::vector<int32_t> frequent_ids(const SentencePairs& pairs, const Tokenizer& target,
                                  int64_t count) {
  std::vector<int64_t> occurrences(static_cast<size_t>(pairs.target_vocabulary));
  for (int64_t pair = 0; pair < pairs.size; ++pair)
    for (const int32_t id : pairs.at(pair).target) ++occurrences[static_cast<size_t>(id)];

  std::vector<int32_t> ids(occurrences.size());
  std::iota(ids.begin(), ids.end(), 0);
  std::stable_sort(ids.begin(), ids.end(), [&](int32_t a, int32_t b) {
    return occurrences[static_cast<size_t>(a)] > occurrences[static_cast<size_t>(b)];
  });
  std::erase_if(ids, [&](int32_t id) {
    return occurrences[static_cast<size_t>(id)] == 0 || id == target.unknown_id() ||
           id == target.begin_id() || id == target.end_id();
  });
  ids.resize(std::min(ids.size(), static_cast<size_t>(count)));
  ids.push_back(target.end_id());
  std::sort(ids.begin(), ids.end());
  return ids;
}

struct Candidate {
  int32_t id = 0;
  float probability = 0.0f;
};

// The candidates of one row of the table, most probable first.
std::vector<Candidate> best_of_row(const TranslationTable& table, int32_t row,
                                   const Tokenizer& target, int64_t count) {
  const std::span<const int32_t> ids = table.targets(row);
  const std::span<const float> probabilities = table.probabilities(row);
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < ids.size(); ++i) {
    const bool is_text = ids[i] != target.unknown_id() && ids[i] != target.begin_id();
    if (is_text && probabilities[i] > 0) candidates.push_back({ids[i], probabilities[i]});
  }
  const auto end = candidates.begin() + std::min<std::ptrdiff_t>(std::ssize(candidates), count);
  std::partial_sort(
      candidates.begin(), end, candidates.end(), [](const Candidate& a, const Candidate& b) {
        return a.probability != b.probability ? a.probability > b.probability : a.id < b.id;
      });
  candidates.erase(end, candidates.end());
  return candidates;
}

std::unordered_map<std::string, int32_t> ids_of_pieces(const Tokenizer& tokenizer) {
  std::unordered_map<std::string, int32_t> ids;
  for (int32_t id = 0; id < tokenizer.vocabulary_size(); ++id) {
    if (id != tokenizer.unknown_id() && id != tokenizer.begin_id() && id != tokenizer.end_id())
      ids.emplace(tokenizer.piece(id), id);
  }
  return ids;
}

}  // namespace

ShortlistContent build_shortlist(const TranslationTable& table, const SentencePairs& pairs,
                                 const Tokenizer& source, const Tokenizer& target,
                                 const ShortlistSizes& sizes) {
  ShortlistContent content;
  content.always = frequent_ids(pairs, target, sizes.first);
  const std::unordered_map<std::string, int32_t> copies = ids_of_pieces(target);
  for (int32_t row = 0; row < pairs.source_vocabulary; ++row) {
    std::vector<Candidate> candidates = best_of_row(table, row, target, sizes.best);
    const auto copy = copies.find(source.piece(row));
    if (copy != copies.end() &&
        std::none_of(candidates.begin(), candidates.end(),
                     [&](const Candidate& candidate) { return candidate.id == copy->second; }))
      candidates.push_back({copy->second, 0.0f});
    for (const Candidate& candidate : candidates) {
      content.ids.push_back(candidate.id);
      content.probabilities.push_back(candidate.probability);
    }
    content.bounds.push_back(static_cast<uint32_t>(content.ids.size()));
  }
  return content;
}

ShortlistCoverage coverage_of(const Shortlist& shortlist, const SentencePairs& pairs) {
  ShortlistCoverage coverage;
  std::vector<int32_t> ids;
  for (int64_t at = 0; at < pairs.size; ++at) {
    const auto [source, target] = pairs.at(at);
    shortlist.candidates(source, ids);
    const int64_t covered = std::count_if(target.begin(), target.end(), [&](int32_t id) {
      return std::binary_search(ids.begin(), ids.end(), id);
    });
    ++coverage.sentences;
    coverage.tokens += std::ssize(target);
    coverage.covered_tokens += covered;
    coverage.covered_sentences += covered == std::ssize(target);
    coverage.candidates += std::ssize(ids);
  }
  return coverage;
}

}  // namespace dietmt::data
