#include "nmt/alignment/symmetrization.h"

#include <gmock/gmock.h>

#include "common/error.h"

namespace dietmt::nmt {
namespace {

std::string joined(const std::vector<WordPair>& forward, const std::vector<WordPair>& reverse,
                   const std::string& name) {
  return pharaoh(symmetrized(forward, reverse, parse_symmetrization(name)));
}

// 0-0 is in both. 1-1 is its neighbour; 2-1 has no free word once 1-1 and 2-2 are in; 2-2 is a
// neighbour of 1-1; 5-4 is isolated between two free words; 0-4 shares a word with 0-0.
const std::vector<WordPair> kForward = {{0, 0}, {1, 1}, {2, 2}, {0, 4}};
const std::vector<WordPair> kReverse = {{0, 0}, {2, 1}, {5, 4}};

TEST(SymmetrizationTest, KeepsOneDirectionBothOrEither) {
  EXPECT_EQ(joined(kForward, kReverse, "forward"), "0-0 0-4 1-1 2-2");
  EXPECT_EQ(joined(kForward, kReverse, "reverse"), "0-0 2-1 5-4");
  EXPECT_EQ(joined(kForward, kReverse, "intersection"), "0-0");
  EXPECT_EQ(joined(kForward, kReverse, "union"), "0-0 0-4 1-1 2-1 2-2 5-4");
}

TEST(SymmetrizationTest, GrowsFromTheIntersectionToNeighboursWithAFreeWord) {
  // Source order: 1-1 joins, then 2-1 (source word 2 is free), then 2-2 (target word 2 is free).
  EXPECT_EQ(joined(kForward, kReverse, "grow-diag"), "0-0 1-1 2-1 2-2");
  // Without 1-1, 2-2 has no neighbour among the links kept.
  EXPECT_EQ(joined({{0, 0}, {2, 2}}, {{0, 0}}, "grow-diag"), "0-0");
  // A neighbour between two words with links stays out.
  EXPECT_EQ(joined({{0, 0}, {1, 1}, {0, 1}}, {{0, 0}, {1, 1}}, "grow-diag"), "0-0 1-1");
  // Links reach their neighbours in several rounds: 3-3 comes before 4-2 is kept.
  EXPECT_EQ(joined({{5, 1}, {3, 3}, {4, 2}}, {{5, 1}}, "grow-diag"), "3-3 4-2 5-1");
}

TEST(SymmetrizationTest, TheLastStepJoinsFreeWords) {
  EXPECT_EQ(joined(kForward, kReverse, "grow-diag-final-and"), "0-0 1-1 2-1 2-2 5-4");
  // If two links share a word, the forward direction's is kept.
  EXPECT_EQ(joined({{3, 0}}, {{0, 0}}, "grow-diag-final-and"), "3-0");
}

TEST(SymmetrizationTest, NoLinksGiveNone) {
  for (const char* name : {"forward", "union", "grow-diag", "grow-diag-final-and"})
    EXPECT_EQ(joined({}, {}, name), "");
}

TEST(SymmetrizationTest, UnknownNamesAreRefused) {
  EXPECT_THROW(parse_symmetrization("grow"), ConfigError);
}

}  // namespace
}  // namespace dietmt::nmt
