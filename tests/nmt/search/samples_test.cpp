#include <gmock/gmock.h>

#include <set>

#include "nmt/search/beam.h"

namespace dietmt::nmt {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

class SamplesTest : public testing::Test {
 protected:
  Samples samples() const { return {task_, special_, options_}; }

  SearchTask task_{.max_length = 5, .prefix = {}};
  SpecialTokens special_{.unknown = 0, .begin = 1, .end = 2};
  SearchOptions options_{.beam = 1, .nbest = 2, .sample = true};
};

TEST_F(SamplesTest, GrowUntilTheyEnd) {
  Samples drawn = samples();
  drawn.append(0, 5, -1);
  drawn.append(0, 2, -3);
  EXPECT_TRUE(drawn.ended(0));
  EXPECT_FALSE(drawn.all_ended());
  drawn.append(0, 6, -100);  // ended: ignored
  drawn.append(1, 2, -1);
  EXPECT_TRUE(drawn.all_ended());
  const NBest found = std::move(drawn).ranked();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found[0].ids.empty());
  EXPECT_THAT(found[0].score, DoubleEq(-1));
  EXPECT_THAT(found[1].ids, ElementsAre(5));
  EXPECT_THAT(found[1].token_scores, ElementsAre(-1, -3));
  EXPECT_THAT(found[1].score, DoubleEq(-2));
}

TEST_F(SamplesTest, DrawsDependOnSeedSentenceSampleAndStepOnly) {
  const double first = samples().uniform(0, 0);
  EXPECT_EQ(samples().uniform(0, 0), first);
  EXPECT_GE(first, 0);
  EXPECT_LT(first, 1);
  std::set<double> draws = {first, samples().uniform(1, 0), samples().uniform(0, 1)};
  task_.index = 1;
  draws.insert(samples().uniform(0, 0));
  options_.seed = 2;
  draws.insert(samples().uniform(0, 0));
  EXPECT_EQ(draws.size(), 5U);
}

}  // namespace
}  // namespace dietmt::nmt
