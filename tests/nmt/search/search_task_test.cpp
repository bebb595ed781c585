#include "nmt/search/search_task.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

namespace dietmt::nmt {
namespace {

const SearchOptions kOptions{.max_length_factor = 2, .max_length_offset = 3, .min_length = 2};
constexpr SpecialTokens kSpecial{.unknown = 0, .begin = 1, .end = 2};

TEST(CutAndEnd, LeavesRoomForTheEnd) {
  const auto cut = [](std::vector<int32_t> tokens, int64_t max_tokens) {
    const int64_t count = cut_and_end(tokens, max_tokens, {2});
    return std::pair(tokens, count);
  };
  EXPECT_EQ(cut({5, 6}, 3), std::pair(std::vector<int32_t>({5, 6, 2}), int64_t{0}));
  EXPECT_EQ(cut({5, 6, 7, 8}, 3), std::pair(std::vector<int32_t>({5, 6, 2}), int64_t{2}));
  std::vector<int32_t> endless = {5, 6, 7, 8};
  EXPECT_EQ(cut_and_end(endless, 3, {}), 1);
  EXPECT_EQ(endless, std::vector<int32_t>({5, 6, 7}));
  std::vector<int32_t> with_language = {5, 6};
  EXPECT_EQ(cut_and_end(with_language, 1, {2, 9}), 2);
  EXPECT_EQ(with_language, std::vector<int32_t>({2, 9}));
  EXPECT_EQ(cut({}, 1), std::pair(std::vector<int32_t>({2}), int64_t{0}));
  EXPECT_EQ(cut({5}, std::numeric_limits<int64_t>::max()).second, 0);
}

TEST(SearchTask, TakesItsLengthsFromTheOptionsAndTheModel) {
  const TranslationRequest request{.source = {5, 6, 2}, .prefix = {7}, .index = 4};
  const SearchTask task = search_task(request, kOptions, 100);
  EXPECT_EQ(task.max_length, 9);
  EXPECT_EQ(task.min_length, 2);
  EXPECT_EQ(task.prefix, request.prefix);
  EXPECT_EQ(task.index, 4);
  EXPECT_EQ(search_task(request, kOptions, 6).max_length, 6);
}

TEST(SearchTask, HasRoomForItsPrefixAndAnEnd) {
  const TranslationRequest request{.source = {2}, .prefix = std::vector<int32_t>(20, 7)};
  EXPECT_EQ(search_task(request, kOptions, 100).max_length, 21);
  EXPECT_EQ(search_task(request, kOptions, 10).max_length, 10);
}

TEST(SearchTask, ForcesThePrefixAndTheEnd) {
  const SearchTask task{.max_length = 4, .prefix = {7, 8}};
  EXPECT_EQ(task.forced_token(0, kSpecial), 7);
  EXPECT_EQ(task.forced_token(1, kSpecial), 8);
  EXPECT_EQ(task.forced_token(2, kSpecial), -1);
  EXPECT_EQ(task.forced_token(3, kSpecial), kSpecial.end);
}

TEST(SearchTask, AnOpenWordLimitsThoseThatFollowItsPieces) {
  const TranslationRequest request{
      .source = {2}, .prefix = {7}, .open_word = {{8, 9}, {{8, 20}, {9, 21}}}};
  const SearchTask task = search_task(request, kOptions, 100);
  const auto choices = [&](const std::vector<int32_t>& tokens) {
    const std::vector<int32_t>* found = task.choices(tokens);
    return found == nullptr ? std::vector<int32_t>{} : *found;
  };
  EXPECT_EQ(choices({}), std::vector<int32_t>{});
  EXPECT_EQ(choices({7}), (std::vector<int32_t>{8, 20}));
  EXPECT_EQ(choices({7, 8}), (std::vector<int32_t>{9, 21}));
  EXPECT_EQ(choices({7, 20}), std::vector<int32_t>{});
  EXPECT_EQ(choices({7, 8, 9}), std::vector<int32_t>{});
  EXPECT_EQ(request.demanded_tokens(), (std::vector<int32_t>{7, 8, 20, 9, 21}));
}

TEST(TranslationRequest, WorkCountsTheTokensOfAllFormsOfTerms) {
  TranslationRequest request{.source = {5, 6, 2}, .prefix = {7}};
  EXPECT_EQ(request.work(), 4);
  request.constraints.terms = {{{5, 6}, {7}}, {{8}}};
  EXPECT_EQ(request.constraints.token_count(), 4);
  EXPECT_EQ(request.constraints.tokens(), std::vector<int32_t>({5, 6, 7, 8}));
  EXPECT_EQ(request.work(), 8);
}

TEST(SearchTask, AllowsTheEndFromTheSmallestLengthOn) {
  const SearchTask task{.max_length = 9, .min_length = 2, .prefix = {}};
  EXPECT_FALSE(task.allows(kSpecial.end, 1, kSpecial));
  EXPECT_TRUE(task.allows(kSpecial.end, 2, kSpecial));
  EXPECT_TRUE(task.allows(5, 0, kSpecial));
  EXPECT_FALSE(task.allows(kSpecial.unknown, 5, kSpecial));
  EXPECT_FALSE(task.allows(kSpecial.begin, 5, kSpecial));
}

}  // namespace
}  // namespace dietmt::nmt
