// Each supported instruction set compared with a full sort and a sum in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/random.h"
#include "kernels/packed_linear.h"
#include "tests/kernels/cpu/kernel_test.h"

namespace dietmt::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> random_logits(int64_t size, uint64_t seed) {
  return random_numbers(size, seed, 10.0);
}

struct Selected {
  std::vector<int32_t> indices;
  std::vector<float> values, normalizers;
};

Selected select(const LinearKernels& level, TokenSelection call, bool normalize = true) {
  const size_t size = unsigned_of(call.rows * call.count);
  Selected selected{std::vector<int32_t>(size, 7), std::vector<float>(size, 7.0f),
                    std::vector<float>(unsigned_of(call.rows), 7.0f)};
  call.indices = selected.indices.data();
  call.values = selected.values.data();
  if (normalize) call.log_normalizers = selected.normalizers.data();
  level.select_tokens(call);
  return selected;
}

std::vector<int32_t> sorted_indices(const float* logits, int64_t size, int64_t count,
                                    const std::vector<int32_t>& forbidden) {
  std::vector<int32_t> order(unsigned_of(size));
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](int32_t i) {
    return logits[i] == -kInfinity || std::ranges::count(forbidden, i) > 0;
  });
  std::ranges::stable_sort(order, [&](int32_t a, int32_t b) { return logits[a] > logits[b]; });
  order.resize(unsigned_of(count), -1);
  return order;
}

class SelectTokensTest : public LevelTest<LinearKernels> {
 protected:
  void check(const std::vector<float>& logits, int64_t size, int64_t stride, int64_t count,
             const std::vector<int32_t>& forbidden) const {
    const int64_t rows = std::ssize(logits) / stride;
    const Selected selected = select(level(), {.rows = rows,
                                               .size = size,
                                               .logits = logits.data(),
                                               .stride = stride,
                                               .forbidden = forbidden.data(),
                                               .forbidden_count = std::ssize(forbidden),
                                               .count = count});
    for (int64_t r = 0; r < rows; ++r) {
      SCOPED_TRACE(testing::Message() << "row " << r << " of " << size << ", " << count);
      const float* row = logits.data() + r * stride;
      const auto want = sorted_indices(row, size, count, forbidden);
      double sum = 0;
      for (int64_t i = 0; i < size; ++i) sum += std::exp(double{row[i]});
      for (int64_t i = 0; i < count; ++i) {
        const size_t place = unsigned_of(r * count + i);
        ASSERT_EQ(selected.indices[place], want[unsigned_of(i)]) << i;
        const int32_t index = want[unsigned_of(i)];
        ASSERT_EQ(selected.values[place], index < 0 ? -kInfinity : row[index]) << i;
      }
      ASSERT_NEAR(selected.normalizers[unsigned_of(r)], std::log(sum), 3e-6);
    }
  }
};

TEST_P(SelectTokensTest, EqualsAFullSort) {
  for (const int64_t size : {1, 3, 15, 16, 17, 127, 128, 129, 1000, 8003})
    for (const int64_t count : {1, 2, 5, 12})
      check(random_logits(3 * (size + 5), 1), size, size + 5, count, {});
}

TEST_P(SelectTokensTest, ForbiddenTokensCountOnlyInTheNormalizer) {
  std::vector<float> logits = random_logits(2 * 500, 2);
  logits[3] = logits[499] = logits[500 + 1] = 12.0f;
  check(logits, 500, 500, 4, {3, 499, 1});
  check(random_logits(3, 3), 3, 3, 3, {1});  // fewer than wanted
}

TEST_P(SelectTokensTest, AmongEqualsTheSmallerIndexComesFirst) {
  std::vector<float> logits(1000, 1.0f);
  check(logits, 1000, 1000, 6, {2});
  for (size_t i = 0; i < logits.size(); ++i) logits[i] = static_cast<float>(i * 7 % 10);
  check(logits, 1000, 1000, 20, {});
}

TEST_P(SelectTokensTest, WorksOnAscendingAndLargeLogits) {
  std::vector<float> logits(700);
  for (size_t i = 0; i < logits.size(); ++i) logits[i] = static_cast<float>(i) * 0.25f - 80.0f;
  check(logits, 700, 700, 5, {699});
  std::ranges::reverse(logits);
  check(logits, 700, 700, 5, {});
}

TEST_P(SelectTokensTest, LeavesOutMinusInfinity) {
  std::vector<float> logits(300, -kInfinity);
  logits[200] = -3.0f;
  check(logits, 300, 300, 2, {});
}

TEST_P(SelectTokensTest, NotANumberShowsInTheNormalizer) {
  for (const float bad : {std::nanf(""), kInfinity}) {
    std::vector<float> logits = random_logits(300, 5);
    logits[250] = bad;
    const Selected selected = select(
        level(), {.rows = 1, .size = 300, .logits = logits.data(), .stride = 300, .count = 1});
    EXPECT_TRUE(std::isnan(selected.normalizers[0]));
  }
}

TEST_P(SelectTokensTest, SelectsTheSameWithoutNormalizers) {
  const std::vector<float> logits = random_logits(4 * 777, 6);
  const TokenSelection call{
      .rows = 4, .size = 777, .logits = logits.data(), .stride = 777, .count = 3};
  const Selected with = select(level(), call);
  const Selected without = select(level(), call, false);
  EXPECT_EQ(with.indices, without.indices);
  EXPECT_EQ(with.values, without.values);
  EXPECT_EQ(without.normalizers, std::vector<float>(4, 7.0f));
}

INSTANTIATE_TEST_SUITE_P(Levels, SelectTokensTest, testing::ValuesIn(linear_tables()),
                         level_name<LinearKernels>);

}  // namespace
}  // namespace dietmt::kernels
