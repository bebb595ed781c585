// The generated corpus as a whole: counts, splits, determinism.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "common/random.h"
#include "data/sample/generator.h"
#include "data/sample/random_meaning.h"
#include "data/sample/realise.h"
#include "data/sample/surface.h"

namespace dietmt::data {
namespace {

bool operator==(const SentencePair& a, const SentencePair& b) {
  return a.source == b.source && a.target == b.target;
}

std::set<std::string> sources(const std::vector<SentencePair>& pairs) {
  std::set<std::string> all;
  for (const SentencePair& pair : pairs) all.insert(pair.source);
  return all;
}

TEST(SampleCorpus, SameSeedGivesSameText) {
  const auto first = generate_sample(SampleLanguage::kGerman, 2000, 5);
  const auto second = generate_sample(SampleLanguage::kGerman, 2000, 5);
  ASSERT_EQ(first.size(), second.size());
  for (size_t i = 0; i < first.size(); ++i) EXPECT_TRUE(first[i] == second[i]) << i;
}

TEST(SampleCorpus, AnotherSeedGivesOtherText) {
  const auto first = generate_sample(SampleLanguage::kGerman, 1000, 5);
  const auto second = generate_sample(SampleLanguage::kGerman, 1000, 6);
  size_t equal = 0;
  for (size_t i = 0; i < first.size(); ++i) equal += first[i].source == second[i].source;
  EXPECT_LT(equal, 20U);
}

TEST(SampleCorpus, LargerCorpusContinuesSmallerOne) {
  const auto small = generate_sample(SampleLanguage::kCzech, 300, 1);
  const auto large = generate_sample(SampleLanguage::kCzech, 900, 1);
  EXPECT_TRUE(std::equal(small.begin(), small.end(), large.begin(),
                         [](const auto& a, const auto& b) { return a == b; }));
}

TEST(SampleCorpus, LanguagesShareTheirSources) {
  const auto german_pairs = generate_sample(SampleLanguage::kGerman, 500, 3);
  const auto czech_pairs = generate_sample(SampleLanguage::kCzech, 500, 3);
  for (size_t i = 0; i < german_pairs.size(); ++i) {
    EXPECT_EQ(german_pairs[i].source, czech_pairs[i].source);
    EXPECT_NE(german_pairs[i].target, czech_pairs[i].target);
  }
}

TEST(SampleCorpus, DefaultSizesAndDisjointSplits) {
  const SampleCorpus corpus = generate_corpus(SampleLanguage::kGerman, {}, 1);
  const std::set<std::string> train = sources(corpus.train);
  const std::set<std::string> valid = sources(corpus.valid);
  const std::set<std::string> test = sources(corpus.test);
  EXPECT_EQ(train.size(), 24000U);
  EXPECT_EQ(valid.size(), 500U);
  EXPECT_EQ(test.size(), 500U);
  std::set<std::string> all = train;
  all.insert(valid.begin(), valid.end());
  all.insert(test.begin(), test.end());
  EXPECT_EQ(all.size(), 25000U);
}

TEST(SampleCorpus, TestSetDoesNotDependOnTrainingSize) {
  const SampleCorpus small = generate_corpus(SampleLanguage::kGerman, {100, 50, 50}, 1);
  const SampleCorpus large = generate_corpus(SampleLanguage::kGerman, {400, 50, 50}, 1);
  EXPECT_EQ(sources(small.test), sources(large.test));
  EXPECT_EQ(sources(small.valid), sources(large.valid));
}

TEST(SampleCorpus, LinesAreCleanText) {
  for (const auto language : {SampleLanguage::kGerman, SampleLanguage::kCzech}) {
    for (const SentencePair& pair : generate_sample(language, 5000, 2)) {
      const auto words = std::count(pair.source.begin(), pair.source.end(), ' ') + 1;
      EXPECT_GE(words, 3) << pair.source;
      EXPECT_LE(words, 30) << pair.source;
      for (const std::string& line : {pair.source, pair.target}) {
        EXPECT_EQ(line.find("  "), std::string::npos) << line;
        EXPECT_EQ(line.find(" ,"), std::string::npos) << line;
        EXPECT_EQ(line.find(",,"), std::string::npos) << line;
        EXPECT_EQ(line.find(",."), std::string::npos) << line;
        EXPECT_EQ(line.find('-'), std::string::npos) << line;  // a form that does not exist
        EXPECT_FALSE(line.front() >= 'a' && line.front() <= 'z') << line;
        EXPECT_TRUE(line.back() == '.' || line.back() == '?') << line;
      }
    }
  }
}

// One English sentence, one translation: what is ambiguous is rare.
TEST(SampleCorpus, TranslationIsNearlyAFunctionOfTheSource) {
  std::map<std::string, std::pair<std::string, std::string>> first;
  int64_t repeated = 0;
  int64_t different = 0;
  for (uint64_t draw = 0; draw < 100000; ++draw) {
    Random random(random_key(11, draw));
    const Sentence meaning = random_sentence(random);
    const std::pair<std::string, std::string> translations = {surface(german(meaning)),
                                                              surface(czech(meaning))};
    const auto [entry, inserted] = first.emplace(surface(english(meaning)), translations);
    repeated += !inserted;
    different += !inserted && entry->second != translations;
  }
  ASSERT_GT(repeated, 500);
  EXPECT_LT(static_cast<double>(different), 0.02 * static_cast<double>(repeated))
      << different << " of " << repeated;
  RecordProperty("different", std::to_string(different) + " of " + std::to_string(repeated));
}

}  // namespace
}  // namespace dietmt::data
