#include "nmt/search/token_limits.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "common/random.h"

namespace dietmt::nmt {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::IsEmpty;

LimitedTokens repeated(const SearchOptions& options, const std::vector<int32_t>& tokens) {
  return TokenLimits(options, SpecialTokens{}).after(tokens);
}

TEST(TokenLimits, WithoutLimitsFindsNothing) {
  EXPECT_FALSE(TokenLimits({}, SpecialTokens{}).any());
  const LimitedTokens found = repeated({}, {5, 5, 5});
  EXPECT_THAT(found.blocked, IsEmpty());
  EXPECT_THAT(found.penalized, IsEmpty());
}

TEST(TokenLimits, BlocksTheTokensThatFollowedTheSameContext) {
  const SearchOptions options{.no_repeat_ngram = 2};
  EXPECT_TRUE(TokenLimits(options, SpecialTokens{}).any());
  EXPECT_THAT(repeated(options, {5, 7, 5, 6, 5, 7, 5}).blocked, ElementsAre(6, 7));
  EXPECT_THAT(repeated(options, {5, 7}).blocked, IsEmpty());
  EXPECT_THAT(repeated(options, {5, 5}).blocked, ElementsAre(5));
  EXPECT_THAT(repeated(options, {}).blocked, IsEmpty());
}

bool repeats_ngram(const std::vector<int32_t>& tokens, size_t size) {
  std::set<std::vector<int32_t>> seen;
  for (size_t i = 0; i + size <= tokens.size(); ++i) {
    const auto first = tokens.begin() + static_cast<std::ptrdiff_t>(i);
    if (!seen.emplace(first, first + static_cast<std::ptrdiff_t>(size)).second) return true;
  }
  return false;
}

TEST(TokenLimits, BlocksExactlyTheTokensThatRepeatAnNgram) {
  Random random(3);
  for (int64_t size = 1; size <= 4; ++size) {
    for (int trial = 0; trial < 200; ++trial) {
      std::vector<int32_t> tokens;
      std::vector<int32_t> expected;
      for (int step = 0; step < 30; ++step) {
        expected.clear();
        std::vector<int32_t> free;
        for (int32_t next = 3; next < 7; ++next) {
          std::vector<int32_t> continued = tokens;
          continued.push_back(next);
          (repeats_ngram(continued, static_cast<size_t>(size)) ? expected : free).push_back(next);
        }
        EXPECT_EQ(repeated({.no_repeat_ngram = size}, tokens).blocked, expected);
        if (free.empty()) break;
        tokens.push_back(free[random.below(free.size())]);
      }
    }
  }
}

TEST(TokenLimits, PenalizesEachTokenOnceUnlessItIsBlocked) {
  SearchOptions options{.repetition_penalty = 1.5};
  EXPECT_THAT(repeated(options, {9, 5, 7, 5}).penalized, ElementsAre(5, 7, 9));
  options.no_repeat_ngram = 2;
  const LimitedTokens found = repeated(options, {9, 5, 7, 5});
  EXPECT_THAT(found.blocked, ElementsAre(7));
  EXPECT_THAT(found.penalized, ElementsAre(5, 9));
  EXPECT_TRUE(found.blocks(7));
  EXPECT_FALSE(found.blocks(9));
  EXPECT_TRUE(found.penalizes(9));
  EXPECT_FALSE(found.penalizes(7));
}

TEST(TokenLimits, SpecialTokensAreExempt) {
  const SearchOptions options{.no_repeat_ngram = 1, .repetition_penalty = 2};
  const LimitedTokens found = repeated(options, {0, 1, 2, 4});
  EXPECT_THAT(found.blocked, ElementsAre(4));
  EXPECT_THAT(found.penalized, IsEmpty());
}

TEST(TokenLimits, ThePenaltyIsAFactorOfLogProbabilities) {
  const TokenLimits limits({.repetition_penalty = 1.5}, SpecialTokens{});
  EXPECT_THAT(limits.penalized(-2.0F), FloatEq(-3.0F));
  EXPECT_THAT(limits.penalized(0.0F), FloatEq(0.0F));
}

}  // namespace
}  // namespace dietmt::nmt
