// Expected figures are those of scikit-learn 1.9.1 (accuracy_score, f1_score, matthews_corrcoef)
// for the same lists, or follow from the definition at sight.
#include "metrics/classification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
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

}  // namespace
}  // namespace dietmt::metrics
