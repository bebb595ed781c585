// The row-wise training kernels of each instruction set compared with their formulas in double.
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>

#include "tests/kernels/cpu/rowwise/level_test.h"

namespace dietmt::kernels {
namespace {

double mask_of(uint64_t key, double p, size_t index) {
  if (p == 0.0) return 1.0;
  return dropout_keeps(key, static_cast<uint32_t>(index), dropout_threshold(p)) ? 1.0 / (1.0 - p)
                                                                                : 0.0;
}

struct AddNormCase {
  int64_t rows, width;
  double dropout;
};

class AddNormTest : public testing::TestWithParam<std::tuple<const RowwiseKernels*, AddNormCase>> {
 protected:
  void SetUp() override {
    if (!runs_here(level())) GTEST_SKIP() << "this machine has no " << level().instruction_set;
    const auto [rows, width, dropout] = sizes();
    const auto size = static_cast<size_t>(rows * width);
    residual_ = random_values(size, 1);
    branch_ = random_values(size, 2);
    gamma_ = random_values(static_cast<size_t>(width), 3);
    beta_ = random_values(static_cast<size_t>(width), 4);
    grad_ = random_values(size, 5);
    normalized_.resize(size);
    output_.resize(size);
    inverse_std_.resize(static_cast<size_t>(rows));
    grad_residual_.resize(size);
    grad_branch_.resize(size);
    grad_gamma_.resize(gamma_.size());
    grad_beta_.resize(gamma_.size());
    forward_ = {.rows = rows,
                .width = width,
                .residual = residual_.data(),
                .branch = branch_.data(),
                .gamma = gamma_.data(),
                .beta = beta_.data(),
                .dropout = dropout_of(dropout),
                .normalized = normalized_.data(),
                .inverse_std = inverse_std_.data(),
                .output = output_.data()};
    backward_ = {.rows = rows,
                 .width = width,
                 .grad_output = grad_.data(),
                 .normalized = normalized_.data(),
                 .inverse_std = inverse_std_.data(),
                 .gamma = gamma_.data(),
                 .beta = beta_.data(),
                 .dropout = dropout_of(dropout),
                 .grad_residual = grad_residual_.data(),
                 .grad_branch = grad_branch_.data(),
                 .grad_gamma = grad_gamma_.data(),
                 .grad_beta = grad_beta_.data()};
  }
  static const RowwiseKernels& level() { return *std::get<0>(GetParam()); }
  static const AddNormCase& sizes() { return std::get<1>(GetParam()); }

  /// The formulas in double.
  struct Exact {
    std::vector<double> normalized, output, inverse_std;
  };
  Exact exact() const {
    const auto [rows, width, dropout] = sizes();
    const auto columns = static_cast<size_t>(width);
    Exact result;
    std::vector<double> sum(columns);
    for (size_t r = 0; r < static_cast<size_t>(rows); ++r) {
      double mean = 0, square = 0;
      for (size_t c = 0; c < columns; ++c) {
        const size_t i = r * columns + c;
        sum[c] = static_cast<double>(residual_[i]) + branch_[i] * mask_of(kKey, dropout, i);
        mean += sum[c] / static_cast<double>(width);
      }
      for (const double value : sum) square += (value - mean) * (value - mean);
      const double inverse = 1.0 / std::sqrt(square / static_cast<double>(width) + 1e-5);
      result.inverse_std.push_back(inverse);
      for (size_t c = 0; c < columns; ++c) {
        result.normalized.push_back((sum[c] - mean) * inverse);
        result.output.push_back(result.normalized.back() * gamma_[c] + beta_[c]);
      }
    }
    return result;
  }

  /// The sum of output * grad; the backward pass computes its derivatives.
  double objective() const {
    const std::vector<double> output = exact().output;
    double total = 0;
    for (size_t i = 0; i < output.size(); ++i) total += output[i] * grad_[i];
    return total;
  }

  std::vector<float> residual_, branch_, gamma_, beta_, grad_, normalized_, output_, inverse_std_;
  std::vector<float> grad_residual_, grad_branch_, grad_gamma_, grad_beta_;
  AddNorm forward_;
  AddNormBackward backward_;
};

TEST_P(AddNormTest, ForwardEqualsTheFormula) {
  level().add_norm(forward_);
  const Exact expected = exact();
  const auto expect_equal = [](const std::vector<float>& values, const std::vector<double>& want) {
    ASSERT_EQ(values.size(), want.size());
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_NEAR(values[i], want[i], 4e-6 * (1.0 + std::abs(want[i]))) << "element " << i;
  };
  expect_equal(output_, expected.output);
  expect_equal(normalized_, expected.normalized);
  expect_equal(inverse_std_, expected.inverse_std);
}

TEST_P(AddNormTest, BackwardEqualsCentralDifferences) {
  level().add_norm(forward_);
  level().add_norm_backward(backward_);
  const auto expect = [&](std::vector<float>& input, const std::vector<float>& gradient) {
    constexpr float kStep = 1e-2f;
    for (size_t i = 0; i < input.size(); i += 1 + input.size() / 23) {
      const float value = input[i];
      input[i] = value + kStep;
      const double above = objective();
      input[i] = value - kStep;
      const double below = objective();
      input[i] = value;
      EXPECT_NEAR(gradient[i], (above - below) / (2.0 * kStep), 2e-3) << "element " << i;
    }
  };
  expect(residual_, grad_residual_);
  expect(branch_, grad_branch_);
  expect(gamma_, grad_gamma_);
  expect(beta_, grad_beta_);
}

TEST_P(AddNormTest, OutputStandsForTheNormalizedSum) {
  for (float& value : gamma_) value = value < 0.0f ? value - 0.1f : value + 0.1f;
  level().add_norm(forward_);
  const std::vector<float> kept_output = output_;
  level().add_norm_backward(backward_);
  const auto residual = grad_residual_, branch = grad_branch_, gamma = grad_gamma_,
             beta = grad_beta_;

  forward_.normalized = nullptr;
  forward_.inverse_std = nullptr;  // they are the same again
  level().add_norm(forward_);
  EXPECT_EQ(output_, kept_output);
  backward_.normalized = nullptr;
  backward_.output = output_.data();
  level().add_norm_backward(backward_);
  const auto expect_close = [](const std::vector<float>& a, const std::vector<float>& b) {
    for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 2e-4 * (1.0 + std::abs(b[i])));
  };
  expect_close(grad_residual_, residual);
  expect_close(grad_branch_, branch);
  expect_close(grad_gamma_, gamma);
  EXPECT_EQ(grad_beta_, beta);
}

// Without beta the norm is an RMS norm; compared with the derivative of its formula in double.
TEST_P(AddNormTest, WithoutBetaItIsAnRmsNorm) {
  const auto [rows, width, dropout] = sizes();
  const auto columns = static_cast<size_t>(width);
  for (const bool has_branch : {true, false}) {
    forward_.beta = backward_.beta = nullptr;
    if (!has_branch) forward_.branch = nullptr;
    level().add_norm(forward_);
    std::ranges::fill(grad_branch_, 0.0f);
    if (!has_branch) backward_.grad_branch = nullptr;
    backward_.grad_beta = nullptr;
    level().add_norm_backward(backward_);
    std::vector<double> gamma_sums(columns);
    for (size_t r = 0; r < static_cast<size_t>(rows); ++r) {
      std::vector<double> sum(columns);
      double squares = 0, product = 0;
      for (size_t c = 0; c < columns; ++c) {
        const size_t i = r * columns + c;
        sum[c] = residual_[i] + (has_branch ? branch_[i] * mask_of(kKey, dropout, i) : 0.0);
        squares += sum[c] * sum[c];
        product += sum[c] * grad_[i] * gamma_[c];
      }
      const double inverse = 1.0 / std::sqrt(squares / static_cast<double>(width) + 1e-5);
      for (size_t c = 0; c < columns; ++c) {
        const size_t i = r * columns + c;
        ASSERT_NEAR(output_[i], sum[c] * inverse * gamma_[c], 1e-5);
        const double wanted = inverse * grad_[i] * gamma_[c] -
                              std::pow(inverse, 3) * sum[c] * product / static_cast<double>(width);
        ASSERT_NEAR(grad_residual_[i], wanted, 1e-4 * (1.0 + std::abs(wanted)));
        const double mask = has_branch ? mask_of(kKey, dropout, i) : 0.0;
        ASSERT_NEAR(grad_branch_[i], grad_residual_[i] * mask, 1e-5 * (1.0 + std::abs(wanted)));
        gamma_sums[c] += grad_[i] * sum[c] * inverse;
      }
    }
    for (size_t c = 0; c < columns; ++c)
      ASSERT_NEAR(grad_gamma_[c], gamma_sums[c], 1e-3 * (1.0 + std::abs(gamma_sums[c])));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, AddNormTest,
    testing::Combine(testing::ValuesIn(row_tables()),
                     testing::Values(AddNormCase{1, 7, 0.0}, AddNormCase{3, 16, 0.3},
                                     AddNormCase{5, 33, 0.1}, AddNormCase{700, 8, 0.5})),
    [](const auto& test) {
      const AddNormCase& sizes = std::get<1>(test.param);
      return std::string(std::get<0>(test.param)->instruction_set) + "_" +
             std::to_string(sizes.rows) + "x" + std::to_string(sizes.width);
    });

using DropoutTest = RowwiseTest;
INSTANTIATE_TEST_SUITE_P(Levels, DropoutTest, testing::ValuesIn(row_tables()),
                         level_name<RowwiseKernels>);
using AddNormThreadsTest = RowwiseTest;
INSTANTIATE_TEST_SUITE_P(Levels, AddNormThreadsTest, testing::ValuesIn(row_tables()),
                         level_name<RowwiseKernels>);

TEST_P(AddNormThreadsTest, DoesNotDependOnTheNumberOfThreads) {
  constexpr int64_t kRows = 1000, kWidth = 24;
  const auto residual = random_values(kRows * kWidth, 1);
  const auto branch = random_values(kRows * kWidth, 2);
  const auto gamma = random_values(kWidth, 3);
  std::vector<std::vector<float>> results;
  for (const int threads : {1, 2, 3}) {
    omp_set_num_threads(threads);
    std::vector<float> normalized(residual.size()), output(residual.size()), inverse(kRows);
    level().add_norm({.rows = kRows,
                      .width = kWidth,
                      .residual = residual.data(),
                      .branch = branch.data(),
                      .gamma = gamma.data(),
                      .beta = gamma.data(),
                      .dropout = dropout_of(0.2),
                      .normalized = normalized.data(),
                      .inverse_std = inverse.data(),
                      .output = output.data()});
    std::vector<float> grad_residual(residual.size()), grad_branch(residual.size());
    std::vector<float> sums(2 * kWidth);
    level().add_norm_backward({.rows = kRows,
                               .width = kWidth,
                               .grad_output = branch.data(),
                               .normalized = normalized.data(),
                               .inverse_std = inverse.data(),
                               .gamma = gamma.data(),
                               .beta = gamma.data(),
                               .dropout = dropout_of(0.2),
                               .grad_residual = grad_residual.data(),
                               .grad_branch = grad_branch.data(),
                               .grad_gamma = sums.data(),
                               .grad_beta = sums.data() + kWidth});
    output.insert(output.end(), sums.begin(), sums.end());
    output.insert(output.end(), grad_branch.begin(), grad_branch.end());
    results.push_back(output);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST_P(DropoutTest, KeepsTheAskedShareAndScales) {
  constexpr int64_t kSize = 200'000;
  std::vector<float> mask(kSize);
  level().dropout_mask(42, 0.3, kSize, mask.data());
  double sum = 0;
  for (const float value : mask) {
    ASSERT_TRUE(value == 0.0f || value == static_cast<float>(1.0 / 0.7));
    sum += value;
  }
  EXPECT_NEAR(sum / kSize, 1.0, 0.01);
  for (uint32_t i = 0; i < 1000; ++i)
    ASSERT_EQ(mask[i] != 0.0f, dropout_keeps(42, i, dropout_threshold(0.3))) << i;
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

TEST_P(DropoutTest, RowsOfProbabilitiesKeepTheAskedShare) {
  constexpr int64_t kMaskRows = 300, kMaskColumns = 1000;
  std::vector<float> mask(kMaskRows * kMaskColumns);
  level().probability_dropout_mask(42, 0.3, kMaskRows, kMaskColumns, mask.data());
  const double five_sigma = 5.0 * std::sqrt(0.3 / 0.7 / kMaskColumns);
  for (size_t r = 0; r < kMaskRows; ++r) {
    const uint32_t start = dropout_row_start(42, static_cast<uint32_t>(r));
    double sum = 0;
    for (uint32_t c = 0; c < kMaskColumns; ++c) {
      const bool keeps = dropout_keeps_at(start + c * kDropoutStep, dropout_threshold(0.3));
      ASSERT_EQ(mask[r * kMaskColumns + c], keeps ? static_cast<float>(1.0 / 0.7) : 0.0f);
      sum += mask[r * kMaskColumns + c];
    }
    EXPECT_NEAR(sum / kMaskColumns, 1.0, five_sigma) << r;
  }
}

// 0.5 +- 0.0005 of 1,000,000 pairs of independent fair bits are equal; 0.003 is six times that.
TEST(Dropout, ProbabilitiesOfNeighboursRowsAndRectanglesAreIndependent) {
  constexpr uint32_t kMaskRows = 1000, kMaskColumns = 1000;
  const uint32_t threshold = dropout_threshold(0.5);
  const auto keeps = [&](uint64_t key, uint32_t row, uint32_t column) {
    return dropout_keeps_at(dropout_row_start(key, row) + column * kDropoutStep, threshold);
  };
  for (const uint32_t distance : {1U, 2U, 3U, 8U, 16U, 61U}) {
    int64_t in_row = 0, in_column = 0, rectangles = 0, keys = 0;
    for (uint32_t r = 0; r < kMaskRows; ++r) {
      for (uint32_t c = 0; c < kMaskColumns; ++c) {
        const bool here = keeps(1, r, c), right = keeps(1, r, c + distance);
        const bool below = keeps(1, r + distance, c), across = keeps(1, r + distance, c + distance);
        in_row += here == right;
        in_column += here == below;
        rectangles += (here == right) == (below == across);
        keys += here == keeps(1 + distance, r, c);
      }
    }
    for (const int64_t equal : {in_row, in_column, rectangles, keys})
      EXPECT_NEAR(static_cast<double>(equal) / (kMaskRows * kMaskColumns), 0.5, 0.003) << distance;
  }
}

// residual + dropout(branch).
void add_dropped(const RowwiseKernels& level, const float* residual,
                 const std::vector<float>& branch, double p, std::vector<float>& output) {
  level.activate({.rows = 1,
                  .width = std::ssize(branch),
                  .x = branch.data(),
                  .residual = residual,
                  .dropout = dropout_of(p),
                  .output = output.data()});
}

TEST_P(DropoutTest, DropoutAddDoesNotDependOnTheNumberOfThreads) {
  constexpr int64_t kSize = 10'003;
  const auto residual = random_values(kSize, 1), branch = random_values(kSize, 2);
  for (const float* const added : {residual.data(), static_cast<const float*>(nullptr)}) {
    std::vector<std::vector<float>> results;
    for (const int threads : {1, 2, 3}) {
      omp_set_num_threads(threads);
      std::vector<float> output(kSize);
      add_dropped(level(), added, branch, 0.2, output);
      results.push_back(output);
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
  }
}

TEST_P(DropoutTest, DropoutAddEqualsMaskTimesBranch) {
  constexpr int64_t kSize = 1001;
  const auto residual = random_values(kSize, 1);
  const auto branch = random_values(kSize, 2);
  std::vector<float> mask(kSize), output(kSize), alone(kSize);
  level().dropout_mask(kKey, 0.25, kSize, mask.data());
  add_dropped(level(), residual.data(), branch, 0.25, output);
  add_dropped(level(), nullptr, branch, 0.25, alone);
  for (size_t i = 0; i < kSize; ++i) {
    EXPECT_FLOAT_EQ(alone[i], branch[i] * mask[i]);
    EXPECT_NEAR(output[i], residual[i] + branch[i] * mask[i], 1e-6);
  }
}

}  // namespace
}  // namespace dietmt::kernels
