#include "kernels/rowwise.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <bit>
#include <cmath>
#include <vector>

#include "common/random.h"
#include "kernels/dropout.h"

namespace dietmt::kernels {
namespace {

std::vector<float> random_values(size_t size, uint64_t seed, float scale = 1.0f) {
  Random random(seed);
  std::vector<float> values(size);
  for (float& value : values) value = scale * static_cast<float>(2.0 * random.uniform() - 1.0);
  return values;
}

// The same formulas in double, element by element.
double mask_of(uint64_t key, double p, size_t index) {
  if (p == 0.0) return 1.0;
  return dropout_keeps(key, static_cast<uint32_t>(index), dropout_threshold(p)) ? 1.0 / (1.0 - p)
                                                                                : 0.0;
}

struct AddNormCase {
  int64_t rows, width;
  double dropout;
};

class AddNormTest : public testing::TestWithParam<AddNormCase> {
 protected:
  void SetUp() override {
    const auto [rows, width, dropout] = GetParam();
    const auto size = static_cast<size_t>(rows * width);
    residual_ = random_values(size, 1);
    branch_ = random_values(size, 2);
    gamma_ = random_values(static_cast<size_t>(width), 3);
    beta_ = random_values(static_cast<size_t>(width), 4);
    grad_ = random_values(size, 5);
    normalized_.resize(size);
    output_.resize(size);
    inverse_std_.resize(static_cast<size_t>(rows));
    forward_ = {
        rows, width, residual_.data(),   branch_.data(),      gamma_.data(), beta_.data(), dropout,
        kKey, 1e-5,  normalized_.data(), inverse_std_.data(), output_.data()};
  }

  // Sum of output * grad with one input moved, in double.
  double objective(const std::vector<float>& residual, const std::vector<float>& branch,
                   const std::vector<float>& gamma, const std::vector<float>& beta) const {
    const auto [rows, width, dropout] = GetParam();
    const auto columns = static_cast<size_t>(width);
    double total = 0;
    std::vector<double> sum(columns);
    for (size_t r = 0; r < static_cast<size_t>(rows); ++r) {
      double mean = 0, square = 0;
      for (size_t c = 0; c < columns; ++c) {
        const size_t i = r * columns + c;
        sum[c] = static_cast<double>(residual[i]) + branch[i] * mask_of(kKey, dropout, i);
        mean += sum[c] / static_cast<double>(width);
      }
      for (const double value : sum) square += (value - mean) * (value - mean);
      const double inverse = 1.0 / std::sqrt(square / static_cast<double>(width) + 1e-5);
      for (size_t c = 0; c < columns; ++c)
        total += ((sum[c] - mean) * inverse * gamma[c] + beta[c]) * grad_[r * columns + c];
    }
    return total;
  }

  static constexpr uint64_t kKey = 0x123456789abcdefULL;
  std::vector<float> residual_, branch_, gamma_, beta_, grad_, normalized_, output_, inverse_std_;
  AddNormForward forward_;
};

TEST_P(AddNormTest, ForwardEqualsTheFormula) {
  add_norm_forward(forward_);
  double total = 0;
  for (size_t i = 0; i < output_.size(); ++i) total += static_cast<double>(output_[i]) * grad_[i];
  EXPECT_NEAR(total, objective(residual_, branch_, gamma_, beta_),
              1e-5 * static_cast<double>(output_.size()));
}

TEST_P(AddNormTest, BackwardEqualsCentralDifferences) {
  const auto [rows, width, dropout] = GetParam();
  add_norm_forward(forward_);
  std::vector<float> grad_residual(residual_.size()), grad_branch(residual_.size());
  std::vector<float> grad_gamma(gamma_.size()), grad_beta(beta_.size());
  add_norm_backward({rows, width, grad_.data(), normalized_.data(), nullptr, inverse_std_.data(),
                     gamma_.data(), beta_.data(), dropout, kKey, grad_residual.data(),
                     grad_branch.data(), grad_gamma.data(), grad_beta.data()});
  const auto expect = [&](std::vector<float>& input, const std::vector<float>& gradient) {
    constexpr float kStep = 1e-2f;
    for (size_t i = 0; i < input.size(); i += 1 + input.size() / 23) {
      const float value = input[i];
      input[i] = value + kStep;
      const double above = objective(residual_, branch_, gamma_, beta_);
      input[i] = value - kStep;
      const double below = objective(residual_, branch_, gamma_, beta_);
      input[i] = value;
      EXPECT_NEAR(gradient[i], (above - below) / (2.0 * kStep), 2e-3) << "element " << i;
    }
  };
  expect(residual_, grad_residual);
  expect(branch_, grad_branch);
  expect(gamma_, grad_gamma);
  expect(beta_, grad_beta);
}

TEST_P(AddNormTest, OutputStandsForTheNormalizedSum) {
  const auto [rows, width, dropout] = GetParam();
  for (float& value : gamma_) value = value < 0.0f ? value - 0.1f : value + 0.1f;
  add_norm_forward(forward_);
  const std::vector<float> kept_output = output_;
  std::vector<float> grad_residual(residual_.size()), grad_branch(residual_.size());
  std::vector<float> grad_gamma(gamma_.size()), grad_beta(beta_.size());
  AddNormBackward backward{rows,
                           width,
                           grad_.data(),
                           normalized_.data(),
                           nullptr,
                           inverse_std_.data(),
                           gamma_.data(),
                           beta_.data(),
                           dropout,
                           kKey,
                           grad_residual.data(),
                           grad_branch.data(),
                           grad_gamma.data(),
                           grad_beta.data()};
  add_norm_backward(backward);
  const auto residual = grad_residual, branch = grad_branch, gamma = grad_gamma, beta = grad_beta;

  forward_.normalized = nullptr;
  add_norm_forward(forward_);
  EXPECT_EQ(output_, kept_output);
  backward.normalized = nullptr;
  backward.output = output_.data();
  add_norm_backward(backward);
  const auto expect_close = [](const std::vector<float>& a, const std::vector<float>& b) {
    for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 2e-4 * (1.0 + std::abs(b[i])));
  };
  expect_close(grad_residual, residual);
  expect_close(grad_branch, branch);
  expect_close(grad_gamma, gamma);
  EXPECT_EQ(grad_beta, beta);
}

INSTANTIATE_TEST_SUITE_P(Sizes, AddNormTest,
                         testing::Values(AddNormCase{1, 7, 0.0}, AddNormCase{3, 16, 0.3},
                                         AddNormCase{5, 33, 0.1}, AddNormCase{700, 8, 0.5}));

TEST(AddNorm, DoesNotDependOnTheNumberOfThreads) {
  constexpr int64_t kRows = 1000, kWidth = 24;
  const auto residual = random_values(kRows * kWidth, 1);
  const auto branch = random_values(kRows * kWidth, 2);
  const auto gamma = random_values(kWidth, 3);
  std::vector<std::vector<float>> results;
  for (const int threads : {1, 2, 3}) {
    omp_set_num_threads(threads);
    std::vector<float> normalized(residual.size()), output(residual.size()), inverse(kRows);
    add_norm_forward({kRows, kWidth, residual.data(), branch.data(), gamma.data(), gamma.data(),
                      0.2, 7, 1e-5, normalized.data(), inverse.data(), output.data()});
    std::vector<float> grad_residual(residual.size()), grad_branch(residual.size());
    std::vector<float> sums(2 * kWidth);
    add_norm_backward({kRows, kWidth, branch.data(), normalized.data(), nullptr, inverse.data(),
                       gamma.data(), gamma.data(), 0.2, 7, grad_residual.data(), grad_branch.data(),
                       sums.data(), sums.data() + kWidth});
    output.insert(output.end(), sums.begin(), sums.end());
    output.insert(output.end(), grad_branch.begin(), grad_branch.end());
    results.push_back(output);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Dropout, KeepsTheAskedShareAndScales) {
  constexpr int64_t kSize = 200'000;
  std::vector<float> mask(kSize);
  dropout_mask(42, 0.3, kSize, mask.data());
  double sum = 0;
  for (const float value : mask) {
    ASSERT_TRUE(value == 0.0f || value == static_cast<float>(1.0 / 0.7));
    sum += value;
  }
  EXPECT_NEAR(sum / kSize, 1.0, 0.01);
}

TEST(Dropout, KeysAndNeighboursAreIndependent) {
  constexpr uint32_t kSize = 100'000;
  const uint32_t threshold = dropout_threshold(0.5);
  int64_t same_as_next = 0, same_as_other_key = 0;
  for (uint32_t i = 0; i < kSize; ++i) {
    same_as_next += dropout_keeps(1, i, threshold) == dropout_keeps(1, i + 1, threshold);
    same_as_other_key += dropout_keeps(1, i, threshold) == dropout_keeps(2, i, threshold);
  }
  EXPECT_NEAR(static_cast<double>(same_as_next) / kSize, 0.5, 0.01);
  EXPECT_NEAR(static_cast<double>(same_as_other_key) / kSize, 0.5, 0.01);
}

TEST(Dropout, DropoutAddEqualsMaskTimesBranch) {
  constexpr int64_t kSize = 1001;
  const auto residual = random_values(kSize, 1);
  const auto branch = random_values(kSize, 2);
  std::vector<float> mask(kSize), output(kSize), alone(kSize);
  dropout_mask(9, 0.25, kSize, mask.data());
  dropout_add({kSize, residual.data(), branch.data(), 0.25, 9, output.data()});
  dropout_add({kSize, nullptr, branch.data(), 0.25, 9, alone.data()});
  for (size_t i = 0; i < kSize; ++i) {
    EXPECT_FLOAT_EQ(alone[i], branch[i] * mask[i]);
    EXPECT_NEAR(output[i], residual[i] + branch[i] * mask[i], 1e-6);
  }
}

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

TEST(CrossEntropy, LossAndGradientEqualTheFormula) {
  for (const size_t classes : {2U, 17U, 1000U}) {
    const std::vector<float> logits = random_values(3 * classes, classes, 6.0f);
    const std::vector<int64_t> targets = {0, static_cast<int64_t>(classes - 1), 1};
    std::vector<float> gradient = logits;
    std::vector<double> losses(3), target_losses(3);
    cross_entropy(CrossEntropy<float>{3, static_cast<int64_t>(classes), gradient.data(),
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

TEST(CrossEntropy, OfBfloat16IsThatOfTheSameNumbers) {
  constexpr int64_t kRows = 3, kClasses = 1003;
  std::vector<float> logits = random_values(kRows * kClasses, 5, 6.0f);
  std::vector<BFloat16> narrow;
  for (float& logit : logits) {
    const uint32_t upper = std::bit_cast<uint32_t>(logit) & 0xffff0000U;
    narrow.push_back({static_cast<uint16_t>(upper >> 16)});
    logit = std::bit_cast<float>(upper);
  }
  const std::vector<int64_t> targets = {0, kClasses - 1, 7};
  std::vector<double> losses(kRows), target_losses(kRows), narrow_losses(kRows),
      narrow_targets(kRows);
  cross_entropy(CrossEntropy<float>{kRows, kClasses, logits.data(), targets.data(), 0.1, 1.0, true,
                                    losses.data(), target_losses.data()});
  cross_entropy(CrossEntropy<BFloat16>{kRows, kClasses, narrow.data(), targets.data(), 0.1, 1.0,
                                       true, narrow_losses.data(), narrow_targets.data()});
  EXPECT_EQ(losses, narrow_losses);
  EXPECT_EQ(target_losses, narrow_targets);
  for (size_t i = 0; i < logits.size(); ++i) {
    const float value = std::bit_cast<float>(uint32_t{narrow[i].bits} << 16);
    ASSERT_NEAR(value, logits[i], std::abs(logits[i]) / 256) << i;
  }
}

TEST(CrossEntropy, LargeLogitsStayFiniteAndNaNShows) {
  std::vector<float> logits = {1e4f, -1e4f, 0.0f};
  const std::vector<int64_t> targets = {1};
  double loss = 0, target_loss = 0;
  cross_entropy(CrossEntropy<float>{1, 3, logits.data(), targets.data(), 0.0, 1.0, false, &loss,
                                    &target_loss});
  EXPECT_NEAR(target_loss, 2e4, 1.0);
  logits[2] = std::nanf("");
  cross_entropy(CrossEntropy<float>{1, 3, logits.data(), targets.data(), 0.0, 1.0, false, &loss,
                                    &target_loss});
  EXPECT_TRUE(std::isnan(loss));
}

}  // namespace
}  // namespace dietmt::kernels
