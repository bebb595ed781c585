#include "dietmt/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace dietmt {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const Lines kReference = {"The dog bit the man.", "It was not unexpected.",
                          "The man bit him first."};
const Lines kSystem = {"The dog bit the man. ", "It wasn't surprising.",
                       "The man had just bitten him."};

TEST(Evaluate, GivesSacreBleusScoreAndSignature) {
  const EvaluationScore score = evaluate({kSystem}, {kReference}).front();
  EXPECT_EQ(score.name, "BLEU");
  EXPECT_NEAR(score.score, 45.0675, 1e-3);
  EXPECT_EQ(score.signature, "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:dietmt-0.1.0");
  EXPECT_FALSE(score.p_value);
}

TEST(Evaluate, ComparesSystemsWithTheFirst) {
  const auto scores = evaluate({kSystem, kReference}, {kReference},
                               {.metric = "chrf", .paired = "bootstrap", .paired_samples = 100});
  ASSERT_EQ(scores.size(), 2U);
  EXPECT_FALSE(scores[0].p_value);
  EXPECT_LT(scores[1].p_value.value(), 1.0);
  EXPECT_DOUBLE_EQ(scores[1].score, 100.0);
  EXPECT_TRUE(scores[0].confidence_half_width);
}

TEST(Evaluate, ScoresSentences) {
  const auto scores = evaluate({kSystem}, {kReference}, {.metric = "ter", .sentence_scores = true});
  ASSERT_EQ(scores[0].sentence_scores.size(), 3U);
  EXPECT_EQ(scores[0].sentence_scores[0], 0.0);
}

TEST(Evaluate, HasTheRangesOfTheCommand) {
  const auto refused = [](const EvaluateOptions& options, const std::string& problem) {
    EXPECT_THAT([&] { evaluate({kSystem}, {kReference}, options); },
                ThrowsMessage<UsageError>(HasSubstr(problem)));
  };
  refused({.smooth = "floor", .smooth_value = -1.0}, "smooth_value is -1; it must be from 0 to");
  refused({.smooth_value = std::nan("")}, "smooth_value is nan");
  refused({.smooth_value = 3.0}, "smooth_value needs smooth floor or add-k");
  refused({.max_order = 0}, "max_order is 0");
  refused({.char_order = -1}, "char_order is -1");
  refused({.word_order = 101}, "word_order is 101");
  refused({.beta = -1}, "beta is -1");
  refused({.confidence_samples = 0}, "confidence_samples is 0");
  refused({.paired_samples = -1}, "paired_samples is -1");
  refused({.seed = -1}, "seed is -1");
  refused({.metric = "chrf++", .word_order = 1}, "word_order is for chrf; chrf++ has 2");
  refused({.metric = "chrf", .tokenize = "char"}, "tokenize is an option of bleu, and the metric");
  refused({.beta = 3}, "beta is an option of chrf, and the metric is bleu");
  refused({.metric = "ter", .lowercase = true}, "ter has case_sensitive");
}

TEST(Evaluate, NamesWrongOptionsAndLengths) {
  EXPECT_THAT(
      [] { evaluate({kSystem}, {kReference}, {.metric = "meteor"}); },
      ThrowsMessage<UsageError>(HasSubstr("metric 'meteor'; choose bleu, chrf, chrf++ or ter")));
  EXPECT_THAT([] { evaluate({kSystem}, {kReference}, {.paired = "bootstrap"}); },
              ThrowsMessage<UsageError>(HasSubstr("paired compares systems")));
  EXPECT_THAT([] { evaluate({kSystem}, {{"one line"}}); },
              ThrowsMessage<InputError>(HasSubstr("3")));
}

}  // namespace
}  // namespace dietmt
