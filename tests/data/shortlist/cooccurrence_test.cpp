#include "data/shortlist/cooccurrence.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "common/random.h"

namespace dietmt::data {
namespace {

constexpr int32_t kNullRow = 1000;

std::map<uint64_t, FixedCount> as_map(const std::vector<CellCount>& cells) {
  std::map<uint64_t, FixedCount> map;
  for (const CellCount& cell : cells) map[cell.key] += cell.count;
  return map;
}

TEST(CellCountTest, KeysHoldRowAndTarget) {
  const CellCount cell{CellCount::key_of(31'999, 65'535), 1};
  EXPECT_EQ(cell.row(), 31'999);
  EXPECT_EQ(cell.target(), 65'535);
}

TEST(CellCounterTest, RunsAreAddedUp) {
  Random random(5);
  CellCounter counter(1'000'000, kNullRow);
  std::map<uint64_t, FixedCount> expected;
  for (int run = 0; run < 50; ++run) {
    std::vector<CellCount> cells;
    for (uint64_t left = random.below(200); left > 0; --left)
      cells.push_back({CellCount::key_of(static_cast<int32_t>(random.below(30)),
                                         static_cast<int32_t>(random.below(30))),
                       random.below(100)});
    for (const CellCount& cell : cells) expected[cell.key] += cell.count;
    sort_and_add(cells);
    counter.add(std::move(cells));
  }
  const std::vector<CellCount> cells = counter.finish();
  EXPECT_EQ(as_map(cells), expected);
  EXPECT_EQ(cells.size(), expected.size()) << "a key occurs twice";
  EXPECT_TRUE(std::is_sorted(cells.begin(), cells.end(),
                             [](const auto& a, const auto& b) { return a.key < b.key; }));
  EXPECT_EQ(counter.dropped(), 0);
}

TEST(CellCounterTest, TheRarestCellsAreDroppedAndTheNullRowStays) {
  CellCounter counter(100, kNullRow);
  for (int32_t row = 0; row < 40; ++row) {
    std::vector<CellCount> cells;
    for (int32_t target = 0; target < 10; ++target)
      cells.push_back({CellCount::key_of(row, target), target == 3 ? to_fixed(5) : to_fixed(0.1)});
    cells.push_back({CellCount::key_of(kNullRow, row), 1});
    counter.add(std::move(cells));
  }
  const std::map<uint64_t, FixedCount> kept = as_map(counter.finish());
  for (int32_t row = 0; row < 40; ++row) {
    EXPECT_EQ(kept.count(CellCount::key_of(row, 3)), 1u);
    EXPECT_EQ(kept.count(CellCount::key_of(kNullRow, row)), 1u);
  }
  EXPECT_LE(kept.size(), 100u + 40u);
  EXPECT_EQ(static_cast<int64_t>(kept.size()) + counter.dropped(), 40 * 11);
}

TEST(TranslationTableTest, AProbabilityIsAShareOfTheRow) {
  const std::vector<CellCount> cells = {{CellCount::key_of(0, 3), 0}, {CellCount::key_of(0, 7), 0}};
  TranslationTable table(cells, 1);
  table.set_probabilities(std::vector{to_fixed(0.5), to_fixed(1.5)}, 0);
  EXPECT_THAT(table.probabilities(0), testing::ElementsAre(0.25F, 0.75F));
}

TEST(TranslationTableTest, APriorTakesMoreFromSmallCounts) {
  const std::vector<CellCount> cells = {{CellCount::key_of(0, 3), 0}, {CellCount::key_of(0, 7), 0}};
  TranslationTable table(cells, 1);
  table.set_probabilities(std::vector{to_fixed(0.5), to_fixed(0.5)}, 0.5);
  // digamma(n + 1) = digamma(n) + 1 / n, so exp(digamma(1) - digamma(2)) = exp(-1).
  EXPECT_NEAR(table.probabilities(0)[0], std::exp(-1.0), 1e-6);
  EXPECT_NEAR(table.probabilities(0)[1], std::exp(-1.0), 1e-6);
  table.set_probabilities(std::vector{to_fixed(0), to_fixed(2.99)}, 0.01);
  EXPECT_GT(table.probabilities(0)[0], 0);
  EXPECT_LT(table.probabilities(0)[0], 1e-30);
  EXPECT_GT(table.probabilities(0)[1], 0.8);
}

}  // namespace
}  // namespace dietmt::data
