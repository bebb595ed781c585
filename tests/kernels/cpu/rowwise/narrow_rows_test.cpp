// Norms and dropout of bf16 rows in each instruction set compared with fp32 on the same numbers.
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <new>

#include "tests/kernels/cpu/rowwise/level_test.h"

namespace dietmt::kernels {
namespace {

using Narrow = std::vector<BFloat16>;
using Wide = std::vector<float>;

constexpr float kRounding = 1.0f / 256;  // of one bf16 number

Wide wide(const Narrow& numbers) {
  Wide all;
  for (const BFloat16 number : numbers) all.push_back(value_of(number));
  return all;
}

void expect_rounded(const Narrow& narrow, const Wide& exact, const char* what) {
  const Wide values = wide(narrow);
  ASSERT_EQ(values.size(), exact.size());
  for (size_t i = 0; i < exact.size(); ++i)
    ASSERT_NEAR(values[i], exact[i], kRounding * std::abs(exact[i]) + 1e-5f) << what << " " << i;
}

void expect_equal(const Wide& values, const Wide& expected, const char* what) {
  for (size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(values[i], expected[i], 2e-5f * (1.0f + std::abs(expected[i]))) << what << " " << i;
}

struct Sizes {
  int64_t rows, width;
  double dropout;
  bool has_branch, has_beta;
};

class NarrowNormTest : public testing::TestWithParam<std::tuple<const RowwiseKernels*, Sizes>> {
 protected:
  void SetUp() override {
    if (!runs_here(level())) GTEST_SKIP() << "this machine has no " << level().instruction_set;
  }
  static const RowwiseKernels& level() { return *std::get<0>(GetParam()); }
};

template <typename Number>
constexpr ElementType kTypeOf =
    std::is_same_v<Number, float> ? ElementType::kFloat : ElementType::kBFloat16;

template <typename Number>
struct Norm {
  explicit Norm(const Sizes& sizes)
      : normalized(static_cast<size_t>(sizes.rows * sizes.width)),
        output(normalized),
        grad_residual(normalized),
        grad_branch(normalized),
        inverse_std(static_cast<size_t>(sizes.rows)),
        grad_gamma(static_cast<size_t>(sizes.width)),
        grad_beta(grad_gamma) {}
  std::vector<Number> normalized, output, grad_residual, grad_branch;
  Wide inverse_std, grad_gamma, grad_beta;
};

template <typename Number>
Norm<Number> run(const RowwiseKernels& level, const Sizes& sizes,
                 const std::vector<Number>& residual, const std::vector<Number>& branch,
                 const std::vector<Number>& grad, const std::vector<Number>& normalized) {
  const auto columns = static_cast<size_t>(sizes.width);
  const Wide gamma = random_values(columns, 3), beta = random_values(columns, 4);
  Norm<Number> result(sizes);
  const float* const given_beta = sizes.has_beta ? beta.data() : nullptr;
  level.add_norm({.type = kTypeOf<Number>,
                  .rows = sizes.rows,
                  .width = sizes.width,
                  .residual = residual.data(),
                  .branch = sizes.has_branch ? branch.data() : nullptr,
                  .gamma = gamma.data(),
                  .beta = given_beta,
                  .dropout = dropout_of(sizes.dropout),
                  .normalized = result.normalized.data(),
                  .inverse_std = result.inverse_std.data(),
                  .output = result.output.data()});
  const std::vector<Number>& kept = normalized.empty() ? result.normalized : normalized;
  level.add_norm_backward({.type = kTypeOf<Number>,
                           .rows = sizes.rows,
                           .width = sizes.width,
                           .grad_output = grad.data(),
                           .normalized = kept.data(),
                           .inverse_std = result.inverse_std.data(),
                           .gamma = gamma.data(),
                           .beta = given_beta,
                           .dropout = dropout_of(sizes.dropout),
                           .grad_residual = result.grad_residual.data(),
                           .grad_branch = sizes.has_branch ? result.grad_branch.data() : nullptr,
                           .grad_gamma = result.grad_gamma.data(),
                           .grad_beta = sizes.has_beta ? result.grad_beta.data() : nullptr});
  return result;
}

TEST_P(NarrowNormTest, IsTheNormOfFp32Rounded) {
  const Sizes& sizes = std::get<1>(GetParam());
  const int64_t size = sizes.rows * sizes.width;
  const Narrow residual = random_narrow(size, 1), branch = random_narrow(size, 2),
               grad = random_narrow(size, 5);
  const Norm<BFloat16> narrow = run(level(), sizes, residual, branch, grad, {});
  const Norm<float> exact =
      run(level(), sizes, wide(residual), wide(branch), wide(grad), wide(narrow.normalized));
  expect_rounded(narrow.output, exact.output, "output");
  expect_rounded(narrow.normalized, exact.normalized, "normalized");
  expect_equal(narrow.inverse_std, exact.inverse_std, "inverse_std");
  expect_rounded(narrow.grad_residual, exact.grad_residual, "grad_residual");
  expect_rounded(narrow.grad_branch, exact.grad_branch, "grad_branch");
  expect_equal(narrow.grad_gamma, exact.grad_gamma, "grad_gamma");
  expect_equal(narrow.grad_beta, exact.grad_beta, "grad_beta");
}

INSTANTIATE_TEST_SUITE_P(Sizes, NarrowNormTest,
                         testing::Combine(testing::ValuesIn(row_tables()),
                                          testing::Values(Sizes{1, 7, 0.0, true, true},
                                                          Sizes{3, 16, 0.3, true, true},
                                                          Sizes{5, 33, 0.1, true, false},
                                                          Sizes{4, 20, 0.0, false, false},
                                                          Sizes{700, 8, 0.5, true, true})),
                         [](const auto& test) {
                           const Sizes& sizes = std::get<1>(test.param);
                           return std::string(std::get<0>(test.param)->instruction_set) + "_" +
                                  std::to_string(sizes.rows) + "x" + std::to_string(sizes.width);
                         });

using NarrowRowsTest = RowwiseTest;
INSTANTIATE_TEST_SUITE_P(Levels, NarrowRowsTest, testing::ValuesIn(row_tables()),
                         level_name<RowwiseKernels>);

TEST_P(NarrowRowsTest, NormDoesNotDependOnTheNumberOfThreads) {
  const Sizes sizes{1000, 24, 0.2, true, true};
  const int64_t size = sizes.rows * sizes.width;
  const Narrow residual = random_narrow(size, 1), branch = random_narrow(size, 2);
  std::vector<Wide> results;
  for (const int threads : {1, 2, 3}) {
    omp_set_num_threads(threads);
    const Norm<BFloat16> norm = run(level(), sizes, residual, branch, branch, {});
    Wide all = wide(norm.output);
    for (const Wide& part : {wide(norm.grad_branch), norm.grad_gamma, norm.grad_beta})
      all.insert(all.end(), part.begin(), part.end());
    results.push_back(all);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

#ifndef __SANITIZE_ADDRESS__  // it ends the program at such a request
TEST_P(NarrowRowsTest, TooLittleMemoryIsAnErrorOfTheCaller) {
  AddNorm call;
  call.width = int64_t{1} << 48;
  EXPECT_THROW(level().add_norm(call), std::bad_alloc);
}
#endif

/// residual + dropout(branch).
template <typename Number>
std::vector<Number> dropped(const RowwiseKernels& level, const Number* residual,
                            const std::vector<Number>& branch, double p) {
  std::vector<Number> output(branch.size());
  level.activate({.type = kTypeOf<Number>,
                  .rows = 1,
                  .width = std::ssize(branch),
                  .x = branch.data(),
                  .residual = residual,
                  .dropout = dropout_of(p),
                  .output = output.data()});
  return output;
}

TEST_P(NarrowRowsTest, DropoutAddDoesNotDependOnTheNumberOfThreads) {
  constexpr int64_t kSize = 10'003;
  const Narrow residual = random_narrow(kSize, 1), branch = random_narrow(kSize, 2);
  std::vector<Wide> results;
  for (const int threads : {1, 2, 3}) {
    omp_set_num_threads(threads);
    results.push_back(wide(dropped(level(), residual.data(), branch, 0.2)));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST_P(NarrowRowsTest, DropoutAddEqualsThatOfFp32) {
  for (const double p : {0.0, 0.25}) {
    constexpr int64_t kSize = 1001;
    const Narrow residual = random_narrow(kSize, 1), branch = random_narrow(kSize, 2);
    for (const bool has_residual : {true, false}) {
      const Wide wide_residual = wide(residual);
      expect_rounded(
          dropped(level(), has_residual ? residual.data() : nullptr, branch, p),
          dropped(level(), has_residual ? wide_residual.data() : nullptr, wide(branch), p),
          "output");
    }
  }
}

}  // namespace
}  // namespace dietmt::kernels
