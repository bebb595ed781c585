// The loss of each instruction set compared with its formula in double.
#include <gtest/gtest.h>

#include <cmath>
#include <new>

#include "tests/kernels/cpu/rowwise/level_test.h"

namespace dietmt::kernels {
namespace {

using CrossEntropyTest = RowwiseTest;
INSTANTIATE_TEST_SUITE_P(Levels, CrossEntropyTest, testing::ValuesIn(row_tables()),
                         level_name<RowwiseKernels>);

// Smoothed loss of one row in double.
double smoothed_loss(const std::vector<double>& logits, size_t target, double smoothing) {
  double partition = 0, mean = 0;
  for (const double logit : logits) {
    partition += std::exp(logit);
    mean += logit / static_cast<double>(logits.size());
  }
  const double log_partition = std::log(partition);
  return (1.0 - smoothing) * (log_partition - logits[target]) + smoothing * (log_partition - mean);
}

TEST_P(CrossEntropyTest, LossAndGradientEqualTheFormula) {
  for (const size_t classes : {2U, 17U, 1000U}) {
    const std::vector<float> logits = random_values(3 * classes, classes, 6.0f);
    const std::vector<int64_t> targets = {0, static_cast<int64_t>(classes - 1), 1};
    std::vector<float> gradient = logits;
    std::vector<double> losses(3), target_losses(3);
    level().cross_entropy(CrossEntropy<float>{3, static_cast<int64_t>(classes), gradient.data(),
                                              targets.data(), 0.1, 2.0, true, losses.data(),
                                              target_losses.data()});
    for (size_t r = 0; r < 3; ++r) {
      std::vector<double> row(logits.begin() + static_cast<int64_t>(r * classes),
                              logits.begin() + static_cast<int64_t>((r + 1) * classes));
      const auto target = static_cast<size_t>(targets[r]);
      EXPECT_NEAR(losses[r], smoothed_loss(row, target, 0.1), 2e-5);
      EXPECT_NEAR(target_losses[r], smoothed_loss(row, target, 0.0), 2e-5);
      for (size_t c = 0; c < classes; c += 1 + classes / 50) {
        const double value = row[c];
        row[c] = value + 1e-4;
        const double above = smoothed_loss(row, target, 0.1);
        row[c] = value - 1e-4;
        const double below = smoothed_loss(row, target, 0.1);
        row[c] = value;
        EXPECT_NEAR(gradient[r * classes + c], 2.0 * (above - below) / 2e-4, 1e-5);
      }
    }
  }
}

TEST_P(CrossEntropyTest, OfBfloat16IsThatOfTheSameNumbers) {
  constexpr int64_t kRows = 3, kClasses = 1003;
  std::vector<float> logits = random_values(kRows * kClasses, 5, 6.0f);
  std::vector<BFloat16> narrow;
  for (float& logit : logits) {
    narrow.push_back(cut(logit));
    logit = value_of(narrow.back());
  }
  const std::vector<int64_t> targets = {0, kClasses - 1, 7};
  std::vector<double> losses(kRows), target_losses(kRows), narrow_losses(kRows),
      narrow_targets(kRows);
  level().cross_entropy(CrossEntropy<float>{kRows, kClasses, logits.data(), targets.data(), 0.1,
                                            1.0, true, losses.data(), target_losses.data()});
  level().cross_entropy(CrossEntropy<BFloat16>{kRows, kClasses, narrow.data(), targets.data(), 0.1,
                                               1.0, true, narrow_losses.data(),
                                               narrow_targets.data()});
  EXPECT_EQ(losses, narrow_losses);
  EXPECT_EQ(target_losses, narrow_targets);
  for (size_t i = 0; i < logits.size(); ++i)
    ASSERT_NEAR(value_of(narrow[i]), logits[i], std::abs(logits[i]) / 256) << i;
}

TEST_P(CrossEntropyTest, AWeightMultipliesLossAndGradientOfItsRow) {
  constexpr int64_t kRows = 3, kClasses = 35;
  const std::vector<float> logits = random_values(kRows * kClasses, 4, 6.0f);
  const std::vector<int64_t> targets = {20, 1, 34};
  struct Result {
    std::vector<float> gradient;
    std::vector<double> losses, target_losses;
  };
  const auto result = [&](const float* weights) {
    Result found{logits, std::vector<double>(kRows), std::vector<double>(kRows)};
    level().cross_entropy(CrossEntropy<float>{kRows, kClasses, found.gradient.data(),
                                              targets.data(), 0.1, 1.0, true, found.losses.data(),
                                              found.target_losses.data(), weights});
    return found;
  };
  const std::vector<float> ones(kRows, 1.0f), weights = {0.0f, 1.0f, 2.5f};
  const Result plain = result(nullptr), same = result(ones.data()), found = result(weights.data());
  EXPECT_EQ(same.gradient, plain.gradient);
  EXPECT_EQ(same.losses, plain.losses);
  EXPECT_EQ(same.target_losses, plain.target_losses);
  for (size_t r = 0; r < kRows; ++r) {
    EXPECT_DOUBLE_EQ(found.losses[r], weights[r] * plain.losses[r]);
    EXPECT_DOUBLE_EQ(found.target_losses[r], weights[r] * plain.target_losses[r]);
    for (size_t c = r * kClasses; c < (r + 1) * kClasses; ++c)
      EXPECT_NEAR(found.gradient[c], weights[r] * plain.gradient[c], 1e-6f);
  }
}

TEST_P(CrossEntropyTest, LargeLogitsStayFiniteAndNaNShows) {
  std::vector<float> logits = {1e4f, -1e4f, 0.0f};
  const std::vector<int64_t> targets = {1};
  double loss = 0, target_loss = 0;
  level().cross_entropy(CrossEntropy<float>{1, 3, logits.data(), targets.data(), 0.0, 1.0, false,
                                            &loss, &target_loss});
  EXPECT_NEAR(target_loss, 2e4, 1.0);
  logits[2] = std::nanf("");
  level().cross_entropy(CrossEntropy<float>{1, 3, logits.data(), targets.data(), 0.0, 1.0, false,
                                            &loss, &target_loss});
  EXPECT_TRUE(std::isnan(loss));
}

// As on a GPU, where such rows pad a batch.
TEST_P(CrossEntropyTest, ARowWithoutTargetHasNoLossAndNoGradient) {
  constexpr int64_t kClasses = 35;
  std::vector<float> gradient = random_values(3 * kClasses, 3, 6.0f);
  const std::vector<int64_t> targets = {4, -1, 4};
  std::vector<double> losses(3, 9.0), target_losses(3, 9.0);
  level().cross_entropy(CrossEntropy<float>{3, kClasses, gradient.data(), targets.data(), 0.1, 1.0,
                                            true, losses.data(), target_losses.data()});
  EXPECT_EQ(losses[1], 0.0);
  EXPECT_EQ(target_losses[1], 0.0);
  float of_first = 0.0f;  // the gradients of a row sum to zero
  for (int64_t c = 0; c < kClasses; ++c) {
    of_first += gradient[static_cast<size_t>(c)];
    EXPECT_EQ(gradient[static_cast<size_t>(kClasses + c)], 0.0f) << c;
  }
  EXPECT_NEAR(of_first, 0.0f, 1e-5f);
}

TEST_P(CrossEntropyTest, NotANumberShowsOnlyInItsRow) {
  constexpr int64_t kClasses = 35;
  for (const size_t bad : {0U, 15U, 16U, 33U, 34U}) {
    std::vector<float> logits = random_values(2 * kClasses, 3, 6.0f);
    logits[bad] = std::nanf("");
    const std::vector<int64_t> targets = {20, 20};
    std::vector<double> losses(2), target_losses(2);
    level().cross_entropy(CrossEntropy<float>{2, kClasses, logits.data(), targets.data(), 0.1, 1.0,
                                              true, losses.data(), target_losses.data()});
    EXPECT_TRUE(std::isnan(losses[0]) && std::isnan(target_losses[0])) << bad;
    EXPECT_FALSE(std::isnan(losses[1]) || std::isnan(target_losses[1])) << bad;
    for (size_t i = 0; i < logits.size(); ++i)
      ASSERT_EQ(std::isnan(logits[i]), i < kClasses) << bad << ", " << i;
  }
}

#ifndef __SANITIZE_ADDRESS__  // it ends the program at such a request
TEST_P(CrossEntropyTest, TooLittleMemoryIsAnErrorOfTheCaller) {
  const int64_t classes = int64_t{1} << 48;
  EXPECT_THROW(level().cross_entropy.fp32({.classes = classes}), std::bad_alloc);
  EXPECT_THROW(level().cross_entropy.bf16({.classes = classes}), std::bad_alloc);
}
#endif

}  // namespace
}  // namespace dietmt::kernels
