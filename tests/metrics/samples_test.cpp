#include "metrics/samples.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "metrics/glue_scores.h"

namespace dietmt::metrics {
namespace {

using Values = std::vector<double>;

TEST(Samples, MeansAndSampleDeviations) {
  EXPECT_DOUBLE_EQ(mean_of(Values{1, 2, 6}), 3);
  EXPECT_DOUBLE_EQ(deviation_of(Values{1, 2, 6}), std::sqrt(7.0));
  EXPECT_TRUE(std::isnan(mean_of({})));
  EXPECT_TRUE(std::isnan(deviation_of(Values{4})));
}

// Expected values: scipy.stats.ttest_ind(a, b, equal_var=False).pvalue.
TEST(Samples, WelchAgreesWithScipy) {
  const Values a{89.44, 89.36, 89.52, 89.41, 89.47}, b{90.50, 90.42, 90.58, 90.47, 90.61};
  EXPECT_NEAR(welch_p(a, b), 2.015706500138122e-08, 1e-17);
  EXPECT_DOUBLE_EQ(welch_p(a, b), welch_p(b, a));
  EXPECT_NEAR(welch_p(Values{60.2, 59.1}, Values{58.9, 61.3, 60.4}), 0.5808477056869733, 1e-12);
  EXPECT_NEAR(welch_p(Values{1, 2, 3, 4}, Values{2.0, 2.5, 2.2, 2.9}), 0.8901830703865162, 1e-12);
}

TEST(Samples, WelchOfTooFewOrConstantValues) {
  EXPECT_TRUE(std::isnan(welch_p(Values{1}, Values{1, 2})));
  EXPECT_TRUE(std::isnan(welch_p(Values{1, 1}, Values{1, 1})));
  EXPECT_EQ(welch_p(Values{1, 1}, Values{2, 2}), 0);
}

// Wang et al. 2021, table 2 (OPR of the first 20 offsets) and table 4 (exact match of SQuAD 1.1) of
// the twelve encodings; table 5 prints -0.91. Expected values: scipy.stats.pearsonr and spearmanr.
TEST(Samples, CorrelationAgreesWithScipyAndThePaper) {
  const Values opr{0.0208, 0.0190, 0.0237, 0.0048, 0.0054, 0.0057,
                   0.0071, 0.0143, 0.0158, 0.0065, 0.0040, 0.0052};
  const Values f1{89.44, 89.45, 89.65, 90.50, 90.30, 90.45,
                  90.57, 90.24, 89.56, 90.72, 90.36, 90.49};
  const Values exact{81.92, 81.93, 82.24, 83.38, 83.24, 83.49,
                     83.45, 83.06, 82.26, 83.68, 83.25, 83.59};
  EXPECT_NEAR(correlation_p(pearson(opr, f1), 12), 9.571412763549753e-05, 1e-15);
  EXPECT_NEAR(correlation_p(spearman(opr, f1), 12), 0.020185498509854093, 1e-12);
  EXPECT_NEAR(pearson(opr, exact), -0.91, 0.005);
}

TEST(Samples, CorrelationOfTooFewPairsOrOfALine) {
  EXPECT_TRUE(std::isnan(correlation_p(0.5, 2)));
  EXPECT_TRUE(std::isnan(correlation_p(std::nan(""), 9)));
  EXPECT_EQ(correlation_p(-1, 5), 0);
  EXPECT_DOUBLE_EQ(correlation_p(0, 5), 1);
}

}  // namespace
}  // namespace dietmt::metrics
