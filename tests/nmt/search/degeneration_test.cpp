#include "nmt/search/degeneration.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "tests/common/cpu_cost.h"

namespace dietmt::nmt {
namespace {

using Tokens = std::vector<int32_t>;

Tokens different(size_t count) {
  Tokens tokens(count);
  std::iota(tokens.begin(), tokens.end(), 100);
  return tokens;
}

Tokens repeated(const Tokens& tokens, size_t times, Tokens before = {}) {
  for (; times > 0; --times) before.insert(before.end(), tokens.begin(), tokens.end());
  return before;
}

TEST(DegenerationTest, ATranslationWithoutSignsIsFine) {
  EXPECT_EQ(degeneration(different(10), different(12)), Degeneration::kNone);
  EXPECT_EQ(degeneration({}, {}), Degeneration::kNone);
  // The same words may recur, even a few times in a row.
  EXPECT_EQ(degeneration(different(10), repeated({1, 2, 3, 4}, 3)), Degeneration::kNone);
  EXPECT_EQ(degeneration(different(10), repeated({7}, 11)), Degeneration::kNone);
}

TEST(DegenerationTest, ALoopIsARepetition) {
  for (const size_t period : {1U, 2U, 3U, 5U, 16U}) {
    const size_t times = std::max<size_t>(4, (11 + period) / period);
    Tokens loop = repeated(different(period), times, {1, 2});
    loop.push_back(3);
    EXPECT_EQ(degeneration(Tokens(60, 1), loop), Degeneration::kNone) << "the source does too";
    EXPECT_EQ(degeneration(different(60), loop), Degeneration::kRepetition) << period;
  }
  EXPECT_EQ(degeneration(different(200), repeated(different(17), 4)), Degeneration::kNone);
}

TEST(DegenerationTest, LengthIsRelativeToTheSource) {
  EXPECT_EQ(degeneration(different(10), different(50)), Degeneration::kNone);
  EXPECT_EQ(degeneration(different(10), different(51)), Degeneration::kTooLong);
  EXPECT_EQ(degeneration(different(1), {}), Degeneration::kEmpty);
  EXPECT_EQ(degeneration(different(50), different(10)), Degeneration::kNone);
  EXPECT_EQ(degeneration(different(51), different(10)), Degeneration::kTooShort);
  EXPECT_EQ(least_length(20), 1);
  EXPECT_EQ(least_length(50), 10);
  EXPECT_EQ(least_length(51), 11);
}

TEST(DegenerationTest, APhraseFromAShorterSourceIsRepeated) {
  const auto phrase = [](const Tokens& source, const Tokens& target) {
    const auto found = repeated_phrase(source, target);
    return Tokens(found.begin(), found.end());
  };
  EXPECT_EQ(phrase({9}, {1, 1, 1}), Tokens({1}));
  EXPECT_EQ(phrase({9, 8}, {1, 2, 1, 2, 1, 2}), Tokens({1, 2}));
  EXPECT_EQ(phrase({9, 8, 7}, {1, 2, 3, 4, 1, 2, 3, 4}), Tokens({1, 2, 3, 4}));
  EXPECT_EQ(phrase({9, 8, 7}, {5, 1, 2, 3, 1, 2, 3, 6}), Tokens({1, 2, 3}));
  EXPECT_EQ(phrase({9}, {1, 1}), Tokens()) << "languages double words";
  EXPECT_EQ(phrase({9, 8, 7, 6}, {1, 2, 1, 2}), Tokens()) << "not shorter";
  EXPECT_EQ(phrase({9, 9}, {1, 1, 1}), Tokens()) << "the source does too";
  EXPECT_EQ(phrase({9}, {1, 2, 3, 4, 5, 6, 1, 1, 1}), Tokens()) << "a small part";
  EXPECT_EQ(phrase({9}, {}), Tokens());
}

TEST(DegenerationTest, LongTranslationsTakeTimeInProportion) {
  for (const Tokens& part : {Tokens{1}, Tokens{1, 2, 3}, different(17)}) {
    const auto make = [&](size_t tokens) { return repeated(part, tokens / part.size()); };
    const auto work = [](const Tokens& tokens) {
      degeneration(tokens, tokens);
      repeated_phrase(tokens, tokens);
    };
    EXPECT_LE(cost_growth(100'000, make, work), kLinearGrowth) << part.size();
  }
}

TEST(DegenerationTest, EachSignHasWords) {
  EXPECT_STREQ(description(Degeneration::kNone), "");
  EXPECT_STREQ(description(Degeneration::kRepetition), "repeats itself");
  EXPECT_STREQ(description(Degeneration::kTooLong), "is too long");
  EXPECT_STREQ(description(Degeneration::kTooShort), "is too short");
  EXPECT_STREQ(description(Degeneration::kEmpty), "is empty");
}

}  // namespace
}  // namespace dietmt::nmt
