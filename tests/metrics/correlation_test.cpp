// Expected figures are those of SciPy 1.17.1 (stats.pearsonr, stats.spearmanr) for the same lists,
// or follow from the definition at sight.
#include "metrics/correlation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "common/error.h"

namespace dietmt::metrics {
namespace {

using Numbers = std::vector<double>;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr double kTolerance = 1e-14;

TEST(Correlation, NumbersWithoutTies) {
  const Numbers x{0.2, 1.4, 3.8, 2.6, 5.0, 4.4}, y{0.0, 2.0, 3.0, 3.5, 4.5, 5.0};
  EXPECT_NEAR(pearson(x, y), 0.9287195142798211, kTolerance);
  EXPECT_NEAR(spearman(x, y), 0.8857142857142858, kTolerance);
}

TEST(Correlation, TiesShareTheirAverageRank) {
  const Numbers x{1, 2, 2, 3, 3, 3, 4}, y{2, 1, 3, 3, 5, 4, 4};
  EXPECT_NEAR(pearson(x, y), 0.689202437604511, kTolerance);
  EXPECT_NEAR(spearman(x, y), 0.7526882347921222, kTolerance);
  const Numbers ranks_of_x{1, 2.5, 2.5, 5, 5, 5, 7}, ranks_of_y{2, 1, 3.5, 3.5, 7, 5.5, 5.5};
  EXPECT_NEAR(spearman(x, y), pearson(ranks_of_x, ranks_of_y), kTolerance);
}

TEST(Correlation, RanksSeeOrderAlone) {
  const Numbers x{1, 2, 3, 4, 5}, y{1, 10, 100, 1000, 10000}, falling{-1, -10, -100, -1000, -10000};
  EXPECT_NEAR(pearson(x, y), 0.7597208512063609, kTolerance);
  EXPECT_NEAR(spearman(x, y), 1.0, kTolerance);
  EXPECT_NEAR(pearson(x, falling), -0.7597208512063609, kTolerance);
  EXPECT_NEAR(spearman(x, falling), -1.0, kTolerance);
}

TEST(Correlation, SquaresMayLeaveTheRangeOfDouble) {
  EXPECT_NEAR(pearson(Numbers{1e200, 2e200, 4e200}, Numbers{1e-200, 3e-200, 2e-200}),
              0.32732683535398854, kTolerance);
}

TEST(Correlation, LargeMeansCancel) {
  EXPECT_NEAR(pearson(Numbers{1e6 + 1, 1e6 + 2, 1e6 + 4}, Numbers{1, 3, 2}), 0.3273268353539885,
              kTolerance);
}

TEST(Correlation, NeverBeyondOne) {
  // Rounding takes the sum of products of these to 1 + 2^-52 before it is cut.
  for (int n = 2; n < 200; ++n) {
    Numbers x;
    for (int i = 0; i < n; ++i) x.push_back(std::sin(i + n));
    EXPECT_LE(pearson(x, x), 1.0);
    EXPECT_NEAR(pearson(x, x), 1.0, kTolerance);
  }
}

TEST(Correlation, UndefinedIsNan) {
  const Numbers rising{1, 2, 4};
  // The mean of three times 0.1 is not 0.1 in double.
  const Numbers constant{0.1, 0.1, 0.1};
  EXPECT_TRUE(std::isnan(pearson(constant, rising)));
  EXPECT_TRUE(std::isnan(pearson(rising, constant)));
  EXPECT_TRUE(std::isnan(spearman(constant, rising)));
  const Numbers with_nan{1, std::nan(""), 2};
  EXPECT_TRUE(std::isnan(pearson(with_nan, rising)));
  EXPECT_TRUE(std::isnan(spearman(with_nan, rising)));
}

TEST(Correlation, InfinityHasARankAlone) {
  const Numbers x{1, 2, std::numeric_limits<double>::infinity()}, y{1, 3, 2};
  EXPECT_TRUE(std::isnan(pearson(x, y)));
  EXPECT_NEAR(spearman(x, y), 0.5, kTolerance);
}

TEST(Correlation, SizesThatDifferOrAreTooSmallAreErrors) {
  const Numbers one{1}, two{1, 2}, three{1, 2, 3};
  for (const auto metric : {pearson, spearman}) {
    EXPECT_THAT([&] { metric(two, three); }, ThrowsMessage<Error>(HasSubstr("2 and 3 values")));
    EXPECT_THAT([&] { metric(one, one); }, ThrowsMessage<Error>(HasSubstr("two values or more")));
    EXPECT_THAT([&] { metric({}, {}); }, ThrowsMessage<Error>(HasSubstr("two values or more")));
  }
}

}  // namespace
}  // namespace dietmt::metrics
