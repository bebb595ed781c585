#include "metrics/pair_scores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace dietmt::metrics {
namespace {

const std::vector<ScoredPair> kFound = {
    {{"a", "x"}, 0.9}, {{"b", "y"}, 0.8}, {{"c", "q"}, 0.7}, {{"d", "w"}, 0.6}, {{"e", "q"}, 0.5}};
const std::vector<NamedPair> kRight = {{"a", "x"}, {"b", "y"}, {"c", "z"}, {"d", "w"}};

// F1 after each pair: 2/5, 4/6, 4/7, 6/8, 6/9.
TEST(PairScores, TheBestThresholdLiesBetweenTwoScores) {
  const PairScores best = pair_scores(kFound, kRight);
  EXPECT_DOUBLE_EQ(best.f1, 0.75);
  EXPECT_DOUBLE_EQ(best.precision, 0.75);
  EXPECT_DOUBLE_EQ(best.recall, 0.75);
  EXPECT_DOUBLE_EQ(best.threshold, 0.55);
  EXPECT_DOUBLE_EQ(pair_scores({kFound[0]}, {{"a", "x"}}).threshold, 0.9);
}

TEST(PairScores, AGivenThresholdCountsPairsFromItOn) {
  const PairScores given = pair_scores(kFound, kRight, 0.8);
  EXPECT_DOUBLE_EQ(given.f1, 4.0 / 6.0);
  EXPECT_DOUBLE_EQ(given.precision, 1.0);
  EXPECT_DOUBLE_EQ(given.recall, 0.5);
  EXPECT_DOUBLE_EQ(given.threshold, 0.8);
  EXPECT_DOUBLE_EQ(pair_scores(kFound, kRight, 1.0).f1, 0.0);
  EXPECT_DOUBLE_EQ(pair_scores({}, kRight).f1, 0.0);
}

TEST(PairScores, NoThresholdSeparatesEqualScores) {
  const std::vector<ScoredPair> equal = {{{"a", "x"}, 0.9}, {{"b", "q"}, 0.9}};
  EXPECT_DOUBLE_EQ(pair_scores(equal, {{"a", "x"}}).f1, 2.0 / 3.0);
  EXPECT_THROW(pair_scores(equal, {}), Error);
}

}  // namespace
}  // namespace dietmt::metrics
