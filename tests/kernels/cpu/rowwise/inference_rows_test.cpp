// The row-wise inference kernels of each instruction set compared with plain loops.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/cpu/rowwise/level_test.h"

namespace dietmt::kernels {
namespace {

using InferenceRowsTest = RowwiseTest;
INSTANTIATE_TEST_SUITE_P(Levels, InferenceRowsTest, testing::ValuesIn(row_tables()),
                         level_name<RowwiseKernels>);

TEST_P(InferenceRowsTest, LayerNormEqualsTheFormula) {
  for (const int64_t width : {1, 7, 16, 33, 512}) {
    constexpr int64_t kRows = 3;
    const auto columns = static_cast<size_t>(width);
    const auto gamma = random_values(columns, 2), beta = random_values(columns, 3);
    for (const bool in_place : {false, true}) {
      auto x = random_values(kRows * columns, 1, 3.0f);
      const auto input = x;
      std::vector<float> y(x.size());
      float* output = in_place ? x.data() : y.data();
      level().layer_norm_rows(kRows, width, x.data(), gamma.data(), beta.data(), kLayerNormEpsilon,
                              output);
      for (size_t r = 0; r < kRows; ++r) {
        double mean = 0, variance = 0;
        for (size_t c = 0; c < columns; ++c)
          mean += input[r * columns + c] / static_cast<double>(width);
        for (size_t c = 0; c < columns; ++c)
          variance += std::pow(input[r * columns + c] - mean, 2) / static_cast<double>(width);
        const double factor = 1.0 / std::sqrt(variance + kLayerNormEpsilon);
        for (size_t c = 0; c < columns; ++c)
          ASSERT_NEAR(output[r * columns + c],
                      (input[r * columns + c] - mean) * factor * gamma[c] + beta[c], 1e-5)
              << width << ": " << r << ", " << c;
      }
    }
  }
}

TEST_P(InferenceRowsTest, RmsNormEqualsTheFormula) {
  for (const int64_t width : {1, 7, 16, 33, 512}) {
    constexpr int64_t kRows = 3;
    const auto columns = static_cast<size_t>(width);
    const auto gamma = random_values(columns, 2);
    for (const bool in_place : {false, true}) {
      auto x = random_values(kRows * columns, 1, 3.0f);
      const auto input = x;
      std::vector<float> y(x.size());
      float* output = in_place ? x.data() : y.data();
      level().rms_norm_rows(kRows, width, x.data(), gamma.data(), 1e-3, output);
      for (size_t r = 0; r < kRows; ++r) {
        double mean = 0;
        for (size_t c = 0; c < columns; ++c)
          mean += std::pow(double{input[r * columns + c]}, 2) / static_cast<double>(width);
        for (size_t c = 0; c < columns; ++c)
          ASSERT_NEAR(output[r * columns + c],
                      input[r * columns + c] / std::sqrt(mean + 1e-3) * gamma[c], 1e-5)
              << width << ": " << r << ", " << c;
      }
    }
  }
}

TEST_P(InferenceRowsTest, MultipliesEveryElement) {
  for (const size_t size : {1U, 15U, 16U, 100U}) {
    const auto y = random_values(size, 1), before = random_values(size, 2);
    auto x = before;
    level().multiply_into(static_cast<int64_t>(size), y.data(), x.data());
    for (size_t i = 0; i < size; ++i) ASSERT_EQ(x[i], before[i] * y[i]) << i;
  }
}

TEST_P(InferenceRowsTest, StepsTheRecurrenceOfAnSsru) {
  for (const size_t size : {1U, 15U, 16U, 100U}) {
    const auto candidate = random_values(size, 1), gate = random_values(size, 2, 40.0f);
    const auto before = random_values(size, 3), residual = random_values(size, 4);
    for (const bool first : {true, false}) {
      std::vector<float> state(size), sum = residual;
      level().ssru_step({.width = static_cast<int64_t>(size),
                         .candidate = candidate.data(),
                         .gate = gate.data(),
                         .before = first ? nullptr : before.data(),
                         .state = state.data(),
                         .residual = sum.data()});
      for (size_t i = 0; i < size; ++i) {
        const double forget = 1.0 / (1.0 + std::exp(-static_cast<double>(gate[i])));
        const double want = forget * (first ? 0.0 : before[i]) + (1.0 - forget) * candidate[i];
        ASSERT_NEAR(state[i], want, 1e-6) << i;
        ASSERT_NEAR(sum[i], residual[i] + std::max(want, 0.0), 1e-6) << i;
      }
    }
  }
}

TEST_P(InferenceRowsTest, FindsTheNextAboveALimit) {
  for (const int64_t count : {1, 16, 64, 65, 300}) {
    std::vector<float> row(static_cast<size_t>(count), 1.0f);
    EXPECT_EQ(level().next_above(row.data(), 0, count, 1.0f), count);
    for (int64_t place = 0; place < count; place += 1 + count / 9) {
      row[static_cast<size_t>(place)] = 2.0f;
      EXPECT_EQ(level().next_above(row.data(), 0, count, 1.0f), place);
      EXPECT_EQ(level().next_above(row.data(), place, count, 1.0f), place);
      EXPECT_EQ(level().next_above(row.data(), place + 1, count, 1.0f), count);
      row[static_cast<size_t>(place)] = std::nanf("");  // is not above
      EXPECT_EQ(level().next_above(row.data(), 0, count, 1.0f), count);
      row[static_cast<size_t>(place)] = 1.0f;
    }
  }
}

TEST_P(InferenceRowsTest, AddsProbabilities) {
  for (const size_t size : {1U, 7U, 16U, 45U}) {
    const auto row = random_values(size, 1, 5.0f);
    std::vector<float> sums(size, 0.25f);
    level().add_probabilities(row.data(), static_cast<int64_t>(size), 6.0f, sums.data());
    for (size_t i = 0; i < size; ++i)
      ASSERT_NEAR(sums[i], 0.25 + std::exp(double{row[i]} - 6.0), 1e-6) << i;
  }
}

}  // namespace
}  // namespace dietmt::kernels
