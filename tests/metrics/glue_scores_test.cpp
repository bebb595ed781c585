// Expected figures are from scikit-learn 1.9.1 (accuracy_score, f1_score, matthews_corrcoef) and
// SciPy 1.17.1 (stats.pearsonr, stats.spearmanr) for the same lists, or follow directly from the
// definition.
#include "metrics/glue_scores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "common/error.h"

namespace dietmt::metrics {
namespace {

using Classes = std::vector<int>;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Classification, TwoClasses) {
  const Classes predicted{0, 1, 1, 0, 1, 0, 0, 1, 1, 1};
  const Classes gold{0, 1, 0, 0, 1, 1, 0, 1, 0, 1};
  EXPECT_DOUBLE_EQ(accuracy(predicted, gold), 0.7);
  EXPECT_DOUBLE_EQ(f1_score(predicted, gold), 0.7272727272727273);
  EXPECT_DOUBLE_EQ(f1_score(predicted, gold, 0), 0.6666666666666666);  // pos_label=0
  EXPECT_DOUBLE_EQ(matthews_correlation(predicted, gold), 0.408248290463863);
}

TEST(Classification, MatthewsOfTwoClassesIsTheUsualFormula) {
  const Classes predicted{0, 1, 1, 0, 1, 0, 0, 1, 1, 1};
  const Classes gold{0, 1, 0, 0, 1, 1, 0, 1, 0, 1};
  const double tp = 4, tn = 3, fp = 2, fn = 1;
  EXPECT_DOUBLE_EQ(matthews_correlation(predicted, gold),
                   (tp * tn - fp * fn) / std::sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)));
}

TEST(Classification, SeveralClasses) {
  const Classes predicted{0, 1, 2, 2, 1, 0, 2, 1};
  const Classes gold{0, 2, 2, 2, 1, 0, 1, 1};
  EXPECT_DOUBLE_EQ(accuracy(predicted, gold), 0.75);
  EXPECT_DOUBLE_EQ(matthews_correlation(predicted, gold), 0.6190476190476191);
  EXPECT_DOUBLE_EQ(f1_score(predicted, gold, 2), 2. / 3);  // labels=[2], average=None
}

TEST(Classification, ClassesAreAnyIntegers) {
  const Classes predicted{5, 9, 5, 5, -1, -1, 9};
  const Classes gold{5, 9, -1, 5, 9, -1, 5};
  EXPECT_DOUBLE_EQ(accuracy(predicted, gold), 0.5714285714285714);
  EXPECT_DOUBLE_EQ(matthews_correlation(predicted, gold), 0.34375);
}

TEST(Classification, PerfectAndOpposite) {
  const Classes gold{0, 1, 0, 1};
  EXPECT_EQ(matthews_correlation(gold, gold), 1.0);
  EXPECT_EQ(matthews_correlation(Classes{1, 0, 1, 0}, gold), -1.0);
  EXPECT_EQ(f1_score(Classes{1, 0, 1, 0}, gold), 0.0);
}

TEST(Classification, ConstantPredictionsHaveNoCorrelation) {
  EXPECT_EQ(matthews_correlation(Classes{1, 1, 1}, Classes{0, 1, 1}), 0.0);
  EXPECT_EQ(matthews_correlation(Classes{0, 1, 1}, Classes{1, 1, 1}), 0.0);
}

TEST(Classification, AllOfOneClass) {
  EXPECT_EQ(accuracy(Classes{1, 1, 1}, Classes{1, 1, 1}), 1.0);
  EXPECT_EQ(matthews_correlation(Classes{1, 1, 1}, Classes{1, 1, 1}), 0.0);
  EXPECT_EQ(f1_score(Classes{1, 1, 1}, Classes{1, 1, 1}), 1.0);
  EXPECT_EQ(f1_score(Classes{0, 0}, Classes{0, 0}), 0.0);
}

TEST(Classification, SizesThatDifferOrAreEmptyAreErrors) {
  const Classes two{0, 1}, three{0, 1, 1}, none;
  for (const auto metric :
       {+[](std::span<const int> p, std::span<const int> g) { return accuracy(p, g); },
        +[](std::span<const int> p, std::span<const int> g) { return f1_score(p, g); },
        +[](std::span<const int> p, std::span<const int> g) {
          return matthews_correlation(p, g);
        }}) {
    EXPECT_THAT([&] { metric(two, three); },
                ThrowsMessage<Error>(HasSubstr("2 predicted classes for 3 examples")));
    EXPECT_THAT([&] { metric(none, none); }, ThrowsMessage<Error>(HasSubstr("no examples")));
  }
}

using Numbers = std::vector<double>;

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

TEST(Correlation, RanksSeeOnlyOrder) {
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
  // Rounding takes the sum of products of these to 1 + 2^-52 before it is clamped.
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

TEST(Correlation, RoundingErrorsOfFp32AreNoCorrelation) {
  const Numbers rising{1, 2}, one_sentence_twice{2.5F, std::nextafter(2.5F, 3.0F)};
  EXPECT_TRUE(std::isnan(pearson(one_sentence_twice, rising)));
  EXPECT_TRUE(std::isnan(pearson(rising, one_sentence_twice)));
  EXPECT_TRUE(std::isnan(spearman(one_sentence_twice, rising)));
  const Numbers apart{2.5, 2.5001}, small{1e-9, 2e-9};
  EXPECT_NEAR(pearson(apart, rising), 1.0, kTolerance);
  EXPECT_NEAR(spearman(small, rising), 1.0, kTolerance);
}

TEST(Correlation, InfinityHasItsOwnRank) {
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
