#include "nmt/translation/bayes_risk.h"

#include <gmock/gmock.h>

#include "tests/data/toy_text.h"

namespace dietmt::nmt {
namespace {

class BayesRiskTest : public data::ToyTextTest {
 protected:
  Hypothesis hypothesis(const std::string& text, double sum) const {
    Hypothesis one;
    one.ids = tokenizer().encode(text);
    one.sum = one.score = sum;
    return one;
  }
  std::string text(const Hypothesis& one) const { return tokenizer().decode(one.ids); }
};

TEST_F(BayesRiskTest, TheModelsProbabilitiesWeighAHypothesisButNotASample) {
  const NBest list = {hypothesis("baba", -1e-3), hypothesis("koriko", -700.0),
                      hypothesis("tulen", -701.0), hypothesis("koriko", -700.0)};
  std::vector<NBest> searched = {list}, sampled = {list, {}, list};
  choose_by_bayes_risk({}, searched, tokenizer(), {.workers = 2});
  ASSERT_EQ(searched[0].size(), 1U);
  EXPECT_EQ(text(searched[0][0]), "baba");
  EXPECT_NEAR(searched[0][0].score, 100.0, 1e-6);

  choose_by_bayes_risk({}, sampled, tokenizer(), {.samples = true, .nbest = 9, .workers = 2});
  EXPECT_TRUE(sampled[1].empty());
  for (const size_t sentence : {0U, 2U}) {
    ASSERT_EQ(sampled[sentence].size(), 3U);  // distinct ones
    EXPECT_EQ(text(sampled[sentence][0]), "koriko");
    EXPECT_GT(sampled[sentence][0].score, sampled[sentence][1].score);
    EXPECT_EQ(sampled[sentence][0].sum, -700.0);
  }
}

TEST_F(BayesRiskTest, ALearnedUtilityReadsTheSourceAndEachTextOnce) {
  std::vector<NBest> found = {
      {hypothesis("baba", -1.0), hypothesis("koriko", -1.0), hypothesis("baba", -1.0)}, {}};
  std::vector<TranslationRequest> requests(2);
  requests[0].text = "vi";
  BayesRiskChoice choice{.nbest = 2};
  choice.learned = [](std::span<const metrics::WeightedCandidates> sentences) {
    EXPECT_EQ(sentences[0].source, "vi");
    EXPECT_THAT(sentences[0].texts, testing::ElementsAre("baba", "koriko"));
    EXPECT_NEAR(sentences[0].weights[0], 2.0 / 3, 1e-12);
    EXPECT_TRUE(sentences[1].texts.empty());
    return std::vector<std::vector<double>>{{0.3, 0.8}, {}};
  };
  choose_by_bayes_risk(requests, found, tokenizer(), choice);
  ASSERT_EQ(found[0].size(), 2U);
  EXPECT_EQ(text(found[0][0]), "koriko");
  EXPECT_EQ(found[0][0].score, 0.8);
  EXPECT_TRUE(found[1].empty());
}

}  // namespace
}  // namespace dietmt::nmt
