// Significance tests on synthetic systems whose true relation is known.
#include "metrics/significance.h"

#include <gtest/gtest.h>

#include <cmath>

#include "common/error.h"
#include "common/random.h"

namespace dietmt::metrics {
namespace {

// The mean of one number per sentence, whose sampling distribution is known in closed form.
class Mean : public Metric {
 public:
  std::string name() const override { return "mean"; }
  std::vector<double> sentence_statistics(const std::string& hypothesis,
                                          std::span<const std::string>) const override {
    return {std::stod(hypothesis), 1.0};
  }
  Score score(std::span<const double> statistics) const override {
    return {name(), statistics[0] / statistics[1], "", {}};
  }

 protected:
  std::string signature_fields() const override { return "test"; }
};

// `n` values, uniform in [offset, 1 + offset).
CorpusStatistics uniform_system(uint64_t key, size_t n, double offset) {
  Random random(key);
  CorpusStatistics statistics;
  for (size_t i = 0; i < n; ++i)
    statistics.add(std::vector<double>{random.uniform() + offset, 1.0});
  return statistics;
}

TEST(Bootstrap, IntervalOfAMeanIsTheNormalOne) {
  const CorpusStatistics system = uniform_system(1, 2000, 0.0);
  const ConfidenceInterval interval = bootstrap_interval(Mean(), system, {4000, 7});
  const double standard_error = std::sqrt(1. / 12 / 2000);
  EXPECT_NEAR(interval.mean, Mean().score(system.sum()).score, 0.1 * standard_error);
  EXPECT_NEAR(interval.half_width, 1.96 * standard_error, 0.1 * standard_error);
}

TEST(Bootstrap, SeedDecides) {
  const CorpusStatistics system = uniform_system(1, 300, 0.0);
  EXPECT_EQ(bootstrap_interval(Mean(), system, {200, 7}).half_width,
            bootstrap_interval(Mean(), system, {200, 7}).half_width);
  EXPECT_NE(bootstrap_interval(Mean(), system, {200, 7}).half_width,
            bootstrap_interval(Mean(), system, {200, 8}).half_width);
}

using PairedTest = double (*)(const ScoreRule&, const CorpusStatistics&, const CorpusStatistics&,
                              const ResamplingOptions&);

class Paired : public testing::TestWithParam<PairedTest> {};

TEST_P(Paired, ClearDifferenceIsSignificant) {
  const double p =
      GetParam()(Mean(), uniform_system(1, 1000, 0.0), uniform_system(2, 1000, 0.1), {1000, 12345});
  EXPECT_DOUBLE_EQ(p, 1. / 1001);
}

TEST_P(Paired, SameSystemHasNoDifference) {
  const CorpusStatistics system = uniform_system(1, 500, 0.0);
  const double p = GetParam()(Mean(), system, system, {1000, 12345});
  EXPECT_DOUBLE_EQ(p, 1.0);
}

TEST_P(Paired, UnequalLengthsAreRefused) {
  EXPECT_THROW(GetParam()(Mean(), uniform_system(1, 5, 0), uniform_system(1, 6, 0), {10, 1}),
               DataError);
}

INSTANTIATE_TEST_SUITE_P(Tests, Paired, testing::Values(&paired_bootstrap, &paired_randomization));

// Under the null hypothesis p-values are uniform.
TEST(PairedRandomization, FalseAlarmsAreAsRareAsClaimed) {
  int below = 0;
  for (uint64_t trial = 0; trial < 400; ++trial) {
    const CorpusStatistics a = uniform_system(2 * trial + 10, 50, 0.0);
    const CorpusStatistics b = uniform_system(2 * trial + 11, 50, 0.0);
    below += paired_randomization(Mean(), a, b, {199, trial}) <= 0.2;
  }
  EXPECT_NEAR(below / 400., 0.2, 4 * std::sqrt(0.2 * 0.8 / 400));
}

}  // namespace
}  // namespace dietmt::metrics
