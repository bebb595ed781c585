// add_norm compared with the same formulas in double.
#include <algorithm>

#include "tests/kernels/cuda/rowwise/norm_case.h"

namespace dietmt::kernels {
namespace {

using Values = std::vector<double>;

void expect_forward(const NormCase& norm) {
  const NormOptions& options = norm.options;
  const int64_t width = options.width;
  Values normalized, inverse_std, output;
  for (int64_t r = 0; r < options.rows; ++r) {
    Values sum;
    double mean = 0.0;
    for (int64_t c = 0; c < width; ++c) {
      const int64_t i = r * width + c;
      double branch = options.branch ? norm.branch.at(i) : 0.0;
      if (options.branch_bias) branch += norm.bias.at(c);
      sum.push_back((options.residual ? norm.residual.at(i) : 0.0) +
                    branch * mask_at(norm.dropout, i));
      mean += sum.back() / static_cast<double>(width);
    }
    if (!norm.layer()) mean = 0.0;
    double variance = 0.0;
    for (const double x : sum) variance += (x - mean) * (x - mean) / static_cast<double>(width);
    const double factor = 1.0 / std::sqrt(variance + norm.forward().epsilon);
    inverse_std.push_back(factor);
    for (int64_t c = 0; c < width; ++c) {
      normalized.push_back((sum[at(c)] - mean) * factor);
      output.push_back(normalized.back() * norm.gamma.at(c) +
                       (norm.layer() ? norm.beta.at(c) : 0.0));
    }
  }
  norm.inverse_std.expect_near(inverse_std, 3e-6, "inverse_std " + options.name());
  norm.normalized.expect_near(normalized, 5e-6, "normalized " + options.name());
  norm.output.expect_near(output, 5e-6, "output " + options.name());
}

void expect_backward(const NormCase& norm) {
  const NormOptions& options = norm.options;
  const int64_t width = options.width;
  Values grad_residual, grad_branch;
  Values grad_gamma(at(width)), grad_beta(at(width)), grad_bias(at(width));
  double inverse_std = 0.0;  // the largest
  for (int64_t r = 0; r < options.rows; ++r) {
    double mean_grad = 0.0;
    double mean_product = 0.0;
    inverse_std = std::max(inverse_std, norm.inverse_std.at(r));
    for (int64_t c = 0; c < width; ++c) {
      const int64_t i = r * width + c;
      const double g = norm.grad_output.at(i) * norm.gamma.at(c) / static_cast<double>(width);
      if (norm.layer()) mean_grad += g;
      mean_product += g * norm.normalized.at(i);
    }
    for (int64_t c = 0; c < width; ++c) {
      const int64_t i = r * width + c;
      const double grad = norm.grad_output.at(i);
      const double x = norm.normalized.at(i);
      grad_residual.push_back(norm.inverse_std.at(r) *
                              (grad * norm.gamma.at(c) - mean_grad - x * mean_product));
      grad_branch.push_back(grad_residual.back() * mask_at(norm.dropout, i));
      grad_gamma[at(c)] += grad * x;
      grad_beta[at(c)] += grad;
      grad_bias[at(c)] += grad_branch.back();
    }
  }
  // Gradients are multiples of the inverse standard deviation, 316 in a row of one number.
  const double rounding = 5e-6 + 1e-7 * inverse_std;
  const double sums = 1e-6 * (10.0 + static_cast<double>(options.rows) / 10.0);
  norm.grad_residual.expect_near(grad_residual, rounding, "grad_residual " + options.name());
  norm.grad_branch.expect_near(grad_branch, rounding, "grad_branch " + options.name());
  norm.grad_gamma.expect_near(grad_gamma, sums, "grad_gamma " + options.name());
  if (norm.layer()) norm.grad_beta.expect_near(grad_beta, sums, "grad_beta " + options.name());
  norm.grad_bias.expect_near(grad_bias, sums, "grad_bias " + options.name());
}

void check_norm(const NormOptions& options) {
  const NormCase norm(options);
  run_rows_here(norm.forward());
  expect_forward(norm);
  run_rows_here(norm.backward());
  expect_backward(norm);
}

class NormCasesTest : public testing::TestWithParam<ElementType> {
 protected:
  void SetUp() override {
    const std::string reason = reason_not_to_run();
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
};

// Widths for part of a warp, one warp and several; those that no vector divides go element by
// element.
TEST_P(NormCasesTest, AllWidths) {
  for (const int64_t width : {1, 30, 64, 100, 129, 256, 300, 511, 512, 516, 768, 1000, 1024, 1536,
                              2048, 2056, 4095, 4096}) {
    check_norm({.type = GetParam(), .rows = 5, .width = width, .dropout = 0.1});
  }
}

TEST_P(NormCasesTest, AllOptions) {
  for (const NormKind kind : {NormKind::kLayer, NormKind::kRms}) {
    for (const double dropout : {0.0, 0.3}) {
      for (const bool branch : {false, true}) {
        for (const bool bias : {false, true}) {
          check_norm({.type = GetParam(),
                      .rows = 11,
                      .width = 72,
                      .kind = kind,
                      .dropout = dropout,
                      .branch = branch,
                      .branch_bias = bias});
        }
      }
    }
  }
}

TEST_P(NormCasesTest, WithoutResidual) {
  check_norm({.type = GetParam(), .rows = 6, .width = 200, .dropout = 0.1, .residual = false});
}

// More rows than all blocks hold at once, and more than one group of blocks.
TEST_P(NormCasesTest, ManyRows) {
  check_norm({.type = GetParam(), .rows = 2500, .width = 64, .dropout = 0.1});
  check_norm({.type = GetParam(), .rows = 161, .width = 520, .dropout = 0.1});
}

TEST_P(NormCasesTest, RowsThatDoNotStartAt16Bytes) {
  check_norm({.type = GetParam(), .rows = 9, .width = 512, .dropout = 0.1, .shift = 1});
}

TEST_P(NormCasesTest, OptionalResultsMayBeLeftOut) {
  const NormOptions options{.type = GetParam(), .rows = 9, .width = 128};
  const NormCase norm(options);
  run_rows_here(norm.forward());
  run_rows_here(norm.backward());
  const NormCase few(options);
  AddNorm forward = few.forward();
  forward.normalized = nullptr;
  forward.inverse_std = nullptr;
  run_rows_here(forward);
  EXPECT_EQ(few.output.values(), norm.output.values());
  AddNormBackward backward = few.backward();
  backward.normalized = norm.normalized.data();
  backward.inverse_std = norm.inverse_std.floats();
  backward.grad_branch = nullptr;
  backward.grad_branch_bias = nullptr;
  run_rows_here(backward);
  EXPECT_EQ(few.grad_residual.values(), norm.grad_residual.values());
  EXPECT_EQ(few.grad_gamma.values(), norm.grad_gamma.values());
}

TEST_P(NormCasesTest, WithoutRowsGradientsOfParametersAreZero) {
  const NormCase norm({.type = GetParam(), .rows = 0, .width = 100});
  run_rows_here(norm.backward());
  EXPECT_EQ(norm.grad_gamma.values(), Values(100));
  EXPECT_EQ(norm.grad_beta.values(), Values(100));
  EXPECT_EQ(norm.grad_bias.values(), Values(100));
}

TEST_P(NormCasesTest, TooWideRowsAreAnError) {
  const NormCase norm({.type = GetParam(), .rows = 1, .width = kWidestDeviceNorm + 1});
  EXPECT_THROW(run_rows_here(norm.forward()), std::exception);
}

INSTANTIATE_TEST_SUITE_P(Types, NormCasesTest, testing::ValuesIn(kAllTypes),
                         [](const auto& type) { return name_of(type.param); });

}  // namespace
}  // namespace dietmt::kernels
