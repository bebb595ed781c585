// Drawing a token from one row of log-probabilities.
#include "nmt/engine/token_draw.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "common/error.h"

namespace dietmt::nmt {
namespace {

int32_t draw(const std::vector<float>& scores, double uniform, const SearchOptions& options) {
  TokenDraw drawing;
  drawing.scores(std::ssize(scores)) = scores;
  return drawing.draw(uniform, options);
}

std::vector<SearchOptions> ways_to_draw(double temperature) {
  std::vector<SearchOptions> all(4);
  all[1].top_k = 2;
  all[2].top_p = 0.9;
  all[3].epsilon = 0.02;
  for (SearchOptions& options : all) options.temperature = temperature;
  return all;
}

TEST(TokenDraw, TheLowestTemperatureTakesTheBestToken) {
  const std::vector<float> scores = {-3.0F, -0.5F, -2000.0F, -1.5F};
  for (const SearchOptions& options :
       ways_to_draw(*search_option(&SearchOptions::temperature).rule.least))
    for (const double uniform : {0.0, 0.5, 0.999999}) EXPECT_EQ(draw(scores, uniform, options), 1);
}

// A score divided by the temperature overflows a float, but the best token must still win.
TEST(TokenDraw, ATemperatureBeyondFloatsTakesTheBestToken) {
  const std::vector<float> scores = {-3.0F, -0.5F, -2.0F, -1.5F};
  for (const SearchOptions& options : ways_to_draw(1e-50))
    for (const double uniform : {0.0, 0.999999}) EXPECT_EQ(draw(scores, uniform, options), 1);
}

TEST(TokenDraw, TheHighestTemperatureTakesAllTokensAlike) {
  const std::vector<float> scores = {-3.0F, -0.5F, -2.0F, -1.5F};
  const SearchOptions options =
      ways_to_draw(*search_option(&SearchOptions::temperature).rule.most)[0];
  std::vector<int64_t> counts(4);
  for (int i = 0; i < 400; ++i) ++counts[static_cast<size_t>(draw(scores, i / 400.0, options))];
  EXPECT_THAT(counts, testing::Each(testing::AllOf(testing::Ge(99), testing::Le(101))));
}

TEST(TokenDraw, EpsilonDropsImprobableTokens) {
  std::vector<float> scores;
  for (const double p : {0.05, 0.4, 0.1, 0.05, 0.4})
    scores.push_back(static_cast<float>(std::log(p)));
  SearchOptions options;
  options.epsilon = 0.08;
  std::vector<int64_t> counts(5);
  for (int i = 0; i < 900; ++i) ++counts[static_cast<size_t>(draw(scores, i / 900.0, options))];
  EXPECT_THAT(counts, testing::ElementsAre(0, testing::AllOf(testing::Ge(399), testing::Le(401)),
                                           testing::AllOf(testing::Ge(99), testing::Le(101)), 0,
                                           testing::AllOf(testing::Ge(399), testing::Le(401))));
  options.top_k = 1;
  EXPECT_EQ(draw(scores, 0.5, options), 1);
}

TEST(TokenDraw, EpsilonAboveAllProbabilitiesTakesTheBestToken) {
  SearchOptions options;
  options.epsilon = 0.9;
  for (const double uniform : {0.0, 0.5, 0.999999})
    EXPECT_EQ(draw({-3.0F, -1.5F, -0.9F, -1.2F}, uniform, options), 2);
}

TEST(TokenDraw, RefusesScoresThatLeaveNoToken) {
  const std::vector<float> none(4, -std::numeric_limits<float>::infinity());
  for (const SearchOptions& options : ways_to_draw(1.0))
    EXPECT_THROW(draw(none, 0.5, options), DataError);
}

}  // namespace
}  // namespace dietmt::nmt
