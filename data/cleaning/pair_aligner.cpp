#include "data/cleaning/pair_aligner.h"

#include <array>
#include <span>

#include "data/text/word_text.h"

namespace dietmt::data {
namespace {

// Longer sides are cut, because the aligner takes time for each pair of words.
constexpr size_t kMostWords = 200;

// Calls take(word) for each word; returns early if it returns false.
template <typename Take>
void for_each_word(std::string_view text, const Take& take) {
  std::u32string word;
  const auto ends = [&] {
    const bool goes_on = word.empty() || take(utf8_of(word));
    word.clear();
    return !goes_on;
  };
  for (const char32_t c : characters_of(text)) {
    if (joins_word(c)) {
      word += folded(c);
      continue;
    }
    if (ends()) return;
    if (c <= U' ') continue;
    word += c;
    if (ends()) return;
  }
  ends();
}

// The words of all pairs that were read.
struct AlignedText {
  std::vector<int32_t> words;
  std::vector<size_t> ends = {0};

  void add(const std::vector<int32_t>& line) {
    words.insert(words.end(), line.begin(), line.end());
    ends.push_back(words.size());
  }
  std::span<const int32_t> line(int64_t index) const {
    const size_t begin = ends[static_cast<size_t>(index)];
    return std::span(words).subspan(begin, ends[static_cast<size_t>(index) + 1] - begin);
  }
};

WordAligner trained(const AlignedText& given, const AlignedText& other, int64_t given_words,
                    int64_t other_words, int64_t threads) {
  const SentencePairs pairs{std::ssize(given.ends) - 1, given_words, other_words,
                            [&](int64_t pair) {
                              return TokenPair{given.line(pair), other.line(pair)};
                            }};
  const AlignerOptions options{.prior = kSparsePrior, .threads = threads};
  return train_aligner(pairs, options, [](const AlignerIteration&) {});
}

}  // namespace

std::vector<int32_t> AlignerWords::added(std::string_view text) {
  std::vector<int32_t> numbers;
  for_each_word(text, [&](const std::string& word) {
    const auto next = static_cast<int32_t>(numbers_.size());
    numbers.push_back(numbers_.try_emplace(word, next).first->second);
    return numbers.size() < kMostWords;
  });
  return numbers;
}

std::vector<int32_t> AlignerWords::known(std::string_view text) const {
  std::vector<int32_t> numbers;
  for_each_word(text, [&](const std::string& word) {
    const auto found = numbers_.find(word);
    numbers.push_back(found == numbers_.end() ? -1 : found->second);
    return numbers.size() < kMostWords;
  });
  return numbers;
}

PairAligner::PairAligner(PairSource& source, int64_t most, int64_t threads) {
  std::array<AlignedText, 2> texts;
  int64_t read = 0;
  while (const std::optional<RawPairs> raw = read_pairs(source, read + 1, most - read)) {
    read += std::ssize(raw->places);
    for (size_t i = 0; i < raw->places.size(); ++i) {
      SplitPair pair;
      if (!source.split(raw->first(i), raw->second(i), pair) || raw->places[i].is_cut) continue;
      texts[0].add(source_.added(pair.source));
      texts[1].add(target_.added(pair.target));
      ++pairs_;
    }
    if (read >= most) break;
  }
  if (pairs_ == 0) return;
  directions_.push_back(trained(texts[0], texts[1], source_.size(), target_.size(), threads));
  directions_.push_back(trained(texts[1], texts[0], target_.size(), source_.size(), threads));
}

std::vector<PairEntropies> PairAligner::entropies(const std::vector<PairSides>& pairs) const {
  std::vector<PairEntropies> all(pairs.size());
  for (size_t i = 0; i < pairs.size() && !directions_.empty(); ++i) {
    const std::vector<int32_t> source = source_.known(pairs[i].source),
                               target = target_.known(pairs[i].target);
    all[i] = {directions_[0].entropy({source, target}), directions_[1].entropy({target, source})};
  }
  return all;
}

}  // namespace dietmt::data
