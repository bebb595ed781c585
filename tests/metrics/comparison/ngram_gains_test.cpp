#include "metrics/comparison/ngram_gains.h"

#include <gmock/gmock.h>

#include <map>
#include <random>

#include "tests/metrics/comparison/compared_texts.h"

namespace dietmt::metrics {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST(NgramGains, AreRankedByHowClearTheyAre) {
  const NgramCounts counts(
      numbered({"a b c", "a b", "x"}, {{"a q b c", "x", "x"}, {"a b", "a b a", "y"}}));
  const std::vector<NgramGain> gains = counts.gains(1, 0, 10);
  ASSERT_THAT(gains, SizeIs(3));
  // (2 + 1) / (2 + 0 + 2), then (2 + 1) / (2 + 1 + 2) for both of its words
  EXPECT_EQ(gains[0].ngram, "a b");
  EXPECT_EQ(gains[0].reference, 2);
  EXPECT_EQ(gains[0].better, 2);
  EXPECT_EQ(gains[0].other, 0);
  EXPECT_EQ(gains[1].ngram, "a");
  EXPECT_EQ(gains[1].better, 2);  // not 3: the reference has one in each sentence
  EXPECT_EQ(gains[1].other, 1);
  EXPECT_EQ(gains[2].ngram, "b");
  EXPECT_EQ(counts.gains(0, 1, 1)[0].ngram, "b c");  // met before "c", with equal counts
  EXPECT_THAT(counts.gains(0, 0, 10), IsEmpty());
}

// The counts of a second, simpler computation on random text.
TEST(NgramGains, CountAsMapsOfStringsDo) {
  std::mt19937 random(3);
  const auto sentence = [&] {
    std::vector<std::string> words;
    for (size_t n = random() % 12; n > 0; --n) words.push_back(std::string(1, 'a' + random() % 3));
    return words;
  };
  const auto ngrams = [](const std::vector<std::string>& words) {
    std::map<std::string, int64_t> counts;
    for (size_t begin = 0; begin < words.size(); ++begin) {
      std::string text;
      for (size_t i = begin; i < std::min(begin + 4, words.size()); ++i)
        ++counts[text += (text.empty() ? "" : " ") + words[i]];
    }
    return counts;
  };
  const auto joined = [](const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += word + " ";
    return text;
  };
  std::vector<std::string> reference, better, other;
  std::map<std::string, int64_t> expected;
  for (int i = 0; i < 50; ++i) {
    const auto r = sentence(), b = sentence(), o = sentence();
    for (const auto& [ngram, count] : ngrams(r)) {
      const auto of_b = ngrams(b);
      if (const auto found = of_b.find(ngram); found != of_b.end())
        expected[ngram] += std::min(found->second, count);
    }
    reference.push_back(joined(r));
    better.push_back(joined(b));
    other.push_back(joined(o));
  }
  const NgramCounts counts(numbered(reference, {other, better}));
  const std::vector<NgramGain> gains = counts.gains(1, 0, 1000);
  ASSERT_FALSE(gains.empty());
  for (const NgramGain& gain : gains) EXPECT_EQ(gain.better, expected[gain.ngram]) << gain.ngram;
}

}  // namespace
}  // namespace dietmt::metrics
