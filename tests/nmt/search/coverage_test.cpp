#include "nmt/search/coverage.h"

#include <gmock/gmock.h>

#include <cmath>

namespace dietmt::nmt {
namespace {

using testing::DoubleNear;
using testing::IsEmpty;

constexpr int64_t kSource = 3;  // two words and end of sentence
const TranslationRequest kRequest{.source = {5, 6, 2}, .prefix = {}};

Hypothesis hypothesis(int32_t id, double score, std::vector<float> attention) {
  return {.ids = {id}, .token_scores = {}, .score = score, .attention = std::move(attention)};
}

TEST(Coverage, IsTheLogarithmOfTheAttentionOfEachWordUpToOne) {
  // The first word got 0.9 + 0.8, the second one 0.05 + 0.15.
  const Hypothesis one = hypothesis(3, 0, {0.9F, 0.05F, 0.05F, 0.8F, 0.15F, 0.05F});
  EXPECT_THAT(coverage(one, kSource), DoubleNear(std::log(0.2), 1e-6));
}

TEST(Coverage, NothingTranslatesTheContext) {
  const Hypothesis one = hypothesis(3, 0, {0.9F, 0.05F, 0.05F, 0.8F, 0.15F, 0.05F});
  EXPECT_THAT(coverage(one, kSource, 1), DoubleNear(std::log(0.2), 1e-6));
  EXPECT_THAT(coverage(one, kSource, 2), DoubleNear(0.0, 1e-6));
  const Hypothesis ignores = hypothesis(3, 0, {0.0F, 0.9F, 0.1F, 0.0F, 0.2F, 0.8F});
  EXPECT_THAT(coverage(ignores, kSource, 1), DoubleNear(0.0, 1e-6));
}

TEST(Coverage, StaysFinite) {
  EXPECT_THAT(coverage(hypothesis(3, 0, {0.0F, 0.5F, 0.5F}), kSource),
              DoubleNear(std::log(1e-9) + std::log(0.5), 1e-6));
}

TEST(Coverage, RanksTranslationsAndKeepsTheBest) {
  const std::vector<float> covers = {0.5F, 0.5F, 0.0F, 0.5F, 0.5F, 0.0F};
  const std::vector<float> leaves_out = {0.9F, 0.1F, 0.0F, 0.9F, 0.1F, 0.0F};
  SearchOptions options{.nbest = 1, .coverage_penalty = 1.0};
  NBest found = {hypothesis(3, -1.0, leaves_out), hypothesis(4, -2.0, covers)};
  rank_by_coverage(found, kRequest, options);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].ids.front(), 4);
  EXPECT_THAT(found[0].score, DoubleNear(-2.0, 1e-6));
  EXPECT_THAT(found[0].attention, IsEmpty());

  options = {.nbest = 2, .coverage_penalty = 0.1, .alignment = true};
  found = {hypothesis(3, -1.0, leaves_out), hypothesis(4, -2.0, covers)};
  rank_by_coverage(found, kRequest, options);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].ids.front(), 3);
  EXPECT_THAT(found[0].score, DoubleNear(-1.0 + 0.1 * std::log(0.2), 1e-6));
  EXPECT_EQ(found[0].attention, leaves_out);
}

}  // namespace
}  // namespace dietmt::nmt
