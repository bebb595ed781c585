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
  choose_by_bayes_risk(searched, tokenizer(), {.workers = 2});
  ASSERT_EQ(searched[0].size(), 1U);
  EXPECT_EQ(text(searched[0][0]), "baba");
  EXPECT_NEAR(searched[0][0].score, 100.0, 1e-6);

  choose_by_bayes_risk(sampled, tokenizer(), {.samples = true, .nbest = 9, .workers = 2});
  EXPECT_TRUE(sampled[1].empty());
  for (const size_t sentence : {0U, 2U}) {
    ASSERT_EQ(sampled[sentence].size(), 3U);  // distinct ones
    EXPECT_EQ(text(sampled[sentence][0]), "koriko");
    EXPECT_GT(sampled[sentence][0].score, sampled[sentence][1].score);
    EXPECT_EQ(sampled[sentence][0].sum, -700.0);
  }
}

}  // namespace
}  // namespace dietmt::nmt
