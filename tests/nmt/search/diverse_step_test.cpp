#include "nmt/search/diverse_step.h"

#include <gmock/gmock.h>

namespace dietmt::nmt {
namespace {

using testing::ElementsAre;

constexpr int32_t kEndToken = 2;

class DiverseStepTest : public testing::Test {
 protected:
  // Offers tokens 3, 4, ... of each row, with these sums.
  void offer(int32_t row, const std::vector<double>& sums) {
    for (size_t i = 0; i < sums.size(); ++i)
      step_.offer({sums[i], 0.0F, row, static_cast<int32_t>(3 + i)});
  }

  static std::vector<int32_t> tokens(const std::vector<Candidate>& candidates) {
    std::vector<int32_t> found;
    for (const Candidate& one : candidates) found.push_back(one.token);
    return found;
  }

  const SearchOptions options_{
      .beam = 4, .nbest = 4, .diverse_groups = 2, .diversity_strength = 0.5};
  const SpecialTokens special_{.unknown = 0, .begin = 1, .end = kEndToken};
  const SearchTask task_{.max_length = 9, .prefix = {}};
  Beam beam_{task_, special_, options_};
  DiverseStep step_{options_, special_};
};

TEST_F(DiverseStepTest, AGroupAvoidsTheTokensOfTheGroupsBeforeIt) {
  offer(0, {-1.0, -1.1, -1.2, -1.6});
  offer(1, {-1.0, -1.1, -1.2, -1.6});
  const auto chosen = step_.choose(beam_);
  EXPECT_THAT(tokens(chosen[0]), ElementsAre(3, 4));
  EXPECT_THAT(tokens(chosen[1]), ElementsAre(3, 5));  // -1.5 and -1.2; 4 counts -1.6
  EXPECT_EQ(chosen[1][0].sum, -1.0);                  // without the penalty
}

TEST_F(DiverseStepTest, EachHypothesisWithATokenCosts) {
  offer(0, {-1.0, -1.1});
  offer(1, {-1.0, -1.1});
  ASSERT_TRUE(beam_.advance_groups(step_.choose(beam_)));
  offer(0, {-1.0, -9.0});
  offer(1, {-1.0, -9.0});  // the first group chooses 3 twice
  offer(2, {-1.0, -1.9, -1.95});
  const auto chosen = step_.choose(beam_);
  EXPECT_THAT(tokens(chosen[0]), ElementsAre(3, 3));
  EXPECT_THAT(tokens(chosen[1]), ElementsAre(4, 5));
}

TEST_F(DiverseStepTest, EndOfSentenceCostsNothing) {
  for (const int32_t row : {0, 1}) {
    step_.offer({-1.0, 0.0F, row, kEndToken});
    step_.offer({-1.3, 0.0F, row, 3});
    step_.offer({-1.4, 0.0F, row, 4});
  }
  const auto chosen = step_.choose(beam_);
  EXPECT_THAT(tokens(chosen[0]), ElementsAre(kEndToken, 3, 4));
  EXPECT_THAT(tokens(chosen[1]), ElementsAre(kEndToken, 3, 4));
}

}  // namespace
}  // namespace dietmt::nmt
