#include "data/sample/generator.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "common/error.h"
#include "common/random.h"
#include "data/sample/random_meaning.h"
#include "data/sample/realise.h"
#include "data/sample/surface.h"

namespace dietmt::data {
namespace {

constexpr int64_t kMinWords = 3;
constexpr int64_t kMaxWords = 30;
constexpr int64_t kMaxDrawsPerPair = 50;  // the grammar is exhausted if it takes more

int64_t word_count(const std::string& text) {
  return std::count(text.begin(), text.end(), ' ') + 1;
}

bool repeats_a_name(const Words& words) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    const auto& nouns = lexicon().nouns;
    const bool name = std::any_of(nouns.begin(), nouns.end(), [&](const Noun& noun) {
      return noun.is(kName) && noun.singular == word;
    });
    return name && std::count(words.begin(), words.end(), word) > 1;
  });
}

std::vector<SentencePair> slice(const std::vector<SentencePair>& pairs, int64_t from, int64_t to) {
  return {pairs.begin() + from, pairs.begin() + to};
}

}  // namespace

std::vector<SentencePair> generate_sample(SampleLanguage language, int64_t count, uint64_t seed) {
  const auto translate = language == SampleLanguage::kGerman ? german : czech;
  std::vector<SentencePair> pairs;
  std::unordered_set<std::string> seen;
  int64_t draw = 0;
  while (static_cast<int64_t>(pairs.size()) < count) {
    if (draw >= kMaxDrawsPerPair * (count + 100))
      throw Error("the sample grammar has no " + std::to_string(count) + " different sentences");
    Random random(random_key(seed, static_cast<uint64_t>(draw++)));
    const Sentence meaning = random_sentence(random);
    const Words words_of_source = english(meaning);
    if (repeats_a_name(words_of_source)) continue;
    std::string source = surface(words_of_source);
    const int64_t words = word_count(source);
    if (words < kMinWords || words > kMaxWords || !seen.insert(source).second) continue;
    pairs.push_back({std::move(source), surface(translate(meaning))});
  }
  return pairs;
}

SampleCorpus generate_corpus(SampleLanguage language, const SampleSizes& sizes, uint64_t seed) {
  const int64_t held_out = sizes.test + sizes.valid;
  const std::vector<SentencePair> all = generate_sample(language, held_out + sizes.train, seed);
  return {slice(all, held_out, held_out + sizes.train), slice(all, sizes.test, held_out),
          slice(all, 0, sizes.test)};
}

}  // namespace dietmt::data
