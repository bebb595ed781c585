#include "common/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

namespace dietmt {
namespace {

// The first outputs of SplitMix64 with seed 0, as published with the generator (mix64 adds the
// increment itself, so output i is mix64(i * increment)).
TEST(Random, MixIsSplitMix64) {
  constexpr uint64_t kIncrement = 0x9e3779b97f4a7c15ULL;
  EXPECT_EQ(mix64(0), 0xe220a8397b1dcdafULL);
  EXPECT_EQ(mix64(kIncrement), 0x6e789e6aa1b965f4ULL);
  EXPECT_EQ(mix64(2 * kIncrement), 0x06c45d188009454fULL);
}

TEST(Random, AFunctionOfKeyAndCounter) {
  Random a(random_key(1, 2)), b(random_key(1, 2)), c(random_key(2, 1));
  std::set<uint64_t> values;
  for (int i = 0; i < 1000; ++i) {
    const uint64_t value = a.next();
    EXPECT_EQ(value, b.next());
    values.insert(value);
    values.insert(c.next());
  }
  EXPECT_EQ(values.size(), 2000U);
}

TEST(Random, UniformFillsTheUnitInterval) {
  Random random(7);
  double sum = 0, lowest = 1, highest = 0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) {
    const double value = random.uniform();
    sum += value;
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  }
  EXPECT_GE(lowest, 0.0);
  EXPECT_LT(highest, 1.0);
  EXPECT_LT(lowest, 1e-3);
  EXPECT_GT(highest, 1 - 1e-3);
  EXPECT_NEAR(sum / kDraws, 0.5, 5 * 0.2887 / std::sqrt(kDraws));  // five standard errors
}

TEST(Random, BelowIsUniform) {
  Random random(3);
  std::vector<int> counts(7);
  for (int i = 0; i < 70'000; ++i) ++counts.at(random.below(7));
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 500);
  EXPECT_EQ(random.below(1), 0U);
}

TEST(Random, ShuffleIsAUniformPermutation) {
  std::vector<std::vector<int>> where(5, std::vector<int>(5));
  for (uint64_t key = 0; key < 10'000; ++key) {
    std::vector<int> items(5);
    std::iota(items.begin(), items.end(), 0);
    Random(random_key(key, 0)).shuffle(items);
    for (size_t i = 0; i < items.size(); ++i) ++where[i].at(static_cast<size_t>(items[i]));
    std::sort(items.begin(), items.end());
    EXPECT_EQ(items, (std::vector<int>{0, 1, 2, 3, 4}));
  }
  for (const auto& counts : where)
    for (const int count : counts) EXPECT_NEAR(count, 2000, 250);
}

}  // namespace
}  // namespace dietmt
