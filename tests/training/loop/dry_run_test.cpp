#include "training/loop/dry_run.h"

#include <gtest/gtest.h>

#include "common/memory_use.h"

namespace dietmt::training {
namespace {

TEST(LargestFitting, IsFoundToAnEighth) {
  for (const int64_t limit : {256, 300, 1000, 5000, 40'000, 65'535}) {
    int64_t smallest_refused = 1 << 30;
    const int64_t found = largest_fitting(256, 65'536, [&](int64_t tokens) {
      EXPECT_LT(tokens, smallest_refused);
      if (tokens > limit) smallest_refused = tokens;
      return tokens <= limit;
    });
    EXPECT_LE(found, limit);
    EXPECT_GE(found + found / 8 + 1, limit) << limit;
  }
}

TEST(LargestFitting, KnowsItsEnds) {
  EXPECT_EQ(largest_fitting(256, 1000, [](int64_t) { return true; }), 1000);
  EXPECT_EQ(largest_fitting(256, 1000, [](int64_t) { return false; }), 0);
}

TEST(MemoryLine, GoesThroughTheLastTwo) {
  MemoryLine line;
  EXPECT_EQ(line.predict(512), 0);
  line.add(256, 100);
  EXPECT_EQ(line.predict(512), 100);
  line.add(512, 150);
  EXPECT_EQ(line.predict(1024), 250);
  line.add(1024, 350);
  EXPECT_EQ(line.predict(2048), 750);
  line.add(768, 300);  // a smaller one replaces the last
  EXPECT_EQ(line.predict(1024), 450);
}

TEST(MemoryUse, GrowsWithWhatIsUsed) {
  const int64_t before = peak_memory();
  EXPECT_GT(before, 1 << 20);
  constexpr int64_t kBytes = 200 << 20;
  const std::vector<char> used(kBytes, 'x');
  EXPECT_EQ(used.back(), 'x');
  EXPECT_GE(peak_memory(), std::max(before, kBytes));
  EXPECT_GT(available_memory(), 1 << 20);
}

}  // namespace
}  // namespace dietmt::training
