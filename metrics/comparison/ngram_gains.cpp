#include "metrics/comparison/ngram_gains.h"

#include <algorithm>
#include <iterator>

namespace dietmt::metrics {
namespace {

constexpr size_t kLongest = 4;

uint64_t key_of(uint32_t ngram, uint32_t word) { return uint64_t{ngram} << 32 | word; }

}  // namespace

NgramCounts::NgramCounts(const NumberedTexts& texts) {
  for (const std::string_view word : texts.ids.words()) words_.emplace_back(word);
  for (const Symbols& sentence : texts.reference) add_ngrams(sentence);
  reference_.resize(keys_.size());
  right_.assign(texts.systems.size(), std::vector<int64_t>(keys_.size()));
  for (size_t i = 0; i < texts.reference.size(); ++i) {
    const Ngrams reference = ngrams_of(texts.reference[i]);
    for (const uint32_t ngram : reference) ++reference_[ngram];
    for (size_t s = 0; s < right_.size(); ++s) {
      Ngrams shared;
      std::ranges::set_intersection(ngrams_of(texts.systems[s][i]), reference,
                                    std::back_inserter(shared));
      for (const uint32_t ngram : shared) ++right_[s][ngram];
    }
  }
}

// 0: the reference does not have it.
uint32_t NgramCounts::longer(uint32_t ngram, uint32_t word) const {
  const auto found = numbers_.find(key_of(ngram, word));
  return found == numbers_.end() ? 0 : found->second;
}

void NgramCounts::add_ngrams(const Symbols& sentence) {
  for (size_t begin = 0; begin < sentence.size(); ++begin) {
    uint32_t ngram = 0;
    for (size_t i = begin; i < std::min(begin + kLongest, sentence.size()); ++i) {
      const uint64_t key = key_of(ngram, sentence[i]);
      const auto [found, is_new] = numbers_.try_emplace(key, static_cast<uint32_t>(keys_.size()));
      if (is_new) keys_.push_back(key);
      ngram = found->second;
    }
  }
}

NgramCounts::Ngrams NgramCounts::ngrams_of(const Symbols& sentence) const {
  Ngrams ngrams;
  for (size_t begin = 0; begin < sentence.size(); ++begin) {
    uint32_t ngram = 0;
    for (size_t i = begin; i < std::min(begin + kLongest, sentence.size()); ++i) {
      ngram = longer(ngram, sentence[i]);
      if (ngram == 0) break;
      ngrams.push_back(ngram);
    }
  }
  std::ranges::sort(ngrams);
  return ngrams;
}

std::string NgramCounts::text(uint32_t ngram) const {
  std::string text;
  for (; ngram != 0; ngram = static_cast<uint32_t>(keys_[ngram] >> 32))
    text = words_[keys_[ngram] & 0xFFFFFFFF] + (text.empty() ? "" : " ") + text;
  return text;
}

std::vector<NgramGain> NgramCounts::gains(size_t better, size_t other, size_t count) const {
  const std::vector<int64_t>&a = right_[better], &b = right_[other];
  const auto rank = [&](uint32_t ngram) {
    return static_cast<double>(a[ngram] + 1) / static_cast<double>(a[ngram] + b[ngram] + 2);
  };
  std::vector<uint32_t> found;
  for (uint32_t ngram = 1; ngram < keys_.size(); ++ngram)
    if (a[ngram] > b[ngram]) found.push_back(ngram);
  const auto end = found.begin() + std::ssize(found) -
                   std::max<std::ptrdiff_t>(0, std::ssize(found) - std::ptrdiff_t(count));
  std::partial_sort(found.begin(), end, found.end(), [&](uint32_t x, uint32_t y) {
    const double rank_x = rank(x), rank_y = rank(y);
    return rank_x != rank_y ? rank_x > rank_y : x < y;
  });
  std::vector<NgramGain> gains;
  for (auto it = found.begin(); it != end; ++it)
    gains.push_back({text(*it), reference_[*it], a[*it], b[*it]});
  return gains;
}

}  // namespace dietmt::metrics
