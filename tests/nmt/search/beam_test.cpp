#include "nmt/search/beam.h"

#include <gmock/gmock.h>

#include <limits>

#include "common/error.h"

namespace dietmt::nmt {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

constexpr int32_t kEnd = 2;
constexpr double kImpossible = -std::numeric_limits<double>::infinity();

Candidate candidate(double sum, int32_t token, int32_t beam = 0) {
  return {sum, static_cast<float>(sum), beam, token};
}

std::vector<int32_t> tokens(const std::vector<Candidate>& candidates) {
  std::vector<int32_t> found;
  for (const Candidate& one : candidates) found.push_back(one.token);
  return found;
}

TEST(LengthNormalized, DividesTheSumByTheLengthPenalty) {
  EXPECT_THAT(length_normalized(-6, 3, {.length_penalty = 1}), DoubleEq(-2));
  EXPECT_THAT(length_normalized(-6, 3, {.length_penalty = 0}), DoubleEq(-6));
  const SearchOptions gnmt{.length_penalty = 2, .length_norm = "gnmt"};
  EXPECT_THAT(length_normalized(-8, 7, gnmt), DoubleEq(-2));  // ((5 + 7) / 6)^2 = 4
}

TEST(Selection, KeepsTheBestInOrder) {
  Selection best(3);
  EXPECT_EQ(best.threshold(), kImpossible);
  int32_t token = 10;
  for (const double sum : {-4.0, -1.0, kImpossible, -3.0, -2.0})
    best.offer(candidate(sum, token++));
  EXPECT_EQ(best.threshold(), -3.0);
  EXPECT_THAT(tokens(best.sorted()), ElementsAre(11, 14, 13));
  best.clear();
  best.offer(candidate(-9, 9));
  EXPECT_THAT(tokens(best.sorted()), ElementsAre(9));
}

TEST(Selection, EqualSumsAreOrderedByBeamAndToken) {
  Selection best(3);
  for (const Candidate& one :
       {candidate(-1, 8, 1), candidate(-1, 7, 1), candidate(-1, 9, 0), candidate(-1, 6, 2)})
    best.offer(one);
  EXPECT_THAT(tokens(best.sorted()), ElementsAre(9, 7, 8));
}

class BeamTest : public testing::Test {
 protected:
  Beam beam() const { return {task_, special_, options_}; }

  SearchTask task_{.max_length = 5, .prefix = {}};
  SpecialTokens special_{.unknown = 0, .begin = 1, .end = kEnd};
  SearchOptions options_{.beam = 2, .nbest = 1};
};

TEST_F(BeamTest, FollowsParentsBackToTheWords) {
  Beam search = beam();
  EXPECT_EQ(search.size(), 1U);
  EXPECT_TRUE(search.advance(std::vector{candidate(-1, 5), candidate(-2, 6)}));
  EXPECT_THAT(search.sums(), ElementsAre(-1, -2));
  EXPECT_TRUE(search.advance(std::vector{candidate(-3, 7, 1), candidate(-4, 8, 0)}));
  EXPECT_EQ(search.token(0), 7);
  EXPECT_EQ(search.parent(0), 1);
  EXPECT_EQ(search.parent(1), 0);
  EXPECT_FALSE(search.advance(std::vector{candidate(-5, kEnd, 0), candidate(-6, kEnd, 1)}));
  const NBest found = std::move(search).result();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].ids, ElementsAre(6, 7));
  EXPECT_THAT(found[0].token_scores, ElementsAre(-2, -3, -5));
  EXPECT_EQ(found[0].sum, -5);
  EXPECT_THAT(found[0].score, DoubleEq(-5.0 / 3));
}

TEST_F(BeamTest, ASearchWithoutATranslationIsAnError) {
  Beam search = beam();
  EXPECT_FALSE(search.advance(std::vector<Candidate>()));
  EXPECT_THROW(std::move(search).result(), DataError);
}

TEST_F(BeamTest, AnEndBeyondTheBeamIsNoTranslation) {
  options_.nbest = 2;
  Beam search = beam();
  search.advance(std::vector{candidate(-1, 5), candidate(-2, 6), candidate(-3, kEnd)});
  EXPECT_EQ(search.size(), 2U);
  EXPECT_THROW(std::move(search).result(), DataError);
}

TEST_F(BeamTest, EndsWhenNoOpenHypothesisCanWin) {
  options_.length_penalty = 0;  // scores are sums, which only fall
  Beam hopeless = beam();
  EXPECT_FALSE(hopeless.advance(std::vector{candidate(-1, kEnd), candidate(-1.5, 5)}));
  Beam hopeful = beam();
  EXPECT_TRUE(hopeful.advance(std::vector{candidate(-1, 5), candidate(-1.5, kEnd)}));
  options_.length_penalty = 1;  // -1.5 over five tokens is better than -1 over one
  Beam longer = beam();
  EXPECT_TRUE(longer.advance(std::vector{candidate(-1, kEnd), candidate(-1.5, 5)}));
}

TEST_F(BeamTest, ReadsTheTokensOfAnOpenHypothesis) {
  Beam search = beam();
  std::vector<int32_t> found = {9};
  search.read_tokens(0, found);
  EXPECT_TRUE(found.empty());
  search.advance(std::vector{candidate(-1, 5), candidate(-2, 6)});
  search.advance(std::vector{candidate(-3, 7, 1), candidate(-4, 8, 0)});
  search.read_tokens(0, found);
  EXPECT_THAT(found, ElementsAre(6, 7));
  search.read_tokens(1, found);
  EXPECT_THAT(found, ElementsAre(5, 8));
}

// Each step finishes one hypothesis, and an open one might still be the best.
TEST_F(BeamTest, PatienceSetsHowManyHypothesesFinish) {
  const auto steps = [&](double patience) {
    options_.patience = patience;
    Beam search = beam();
    int64_t taken = 1;
    while (search.advance(std::vector{candidate(-1, kEnd), candidate(-1.1, 5)})) ++taken;
    return taken;
  };
  options_.beam = 3;
  task_.max_length = 100;
  EXPECT_EQ(steps(1), 3);
  EXPECT_EQ(steps(2), 6);
  EXPECT_EQ(steps(1.5), 5);
  EXPECT_EQ(steps(0.3), 1);
}

TEST_F(BeamTest, ReturnsTheBestFirst) {
  options_ = {.beam = 3, .nbest = 2};
  Beam search = beam();
  search.advance(std::vector{candidate(-2, kEnd), candidate(-2.1, 5), candidate(-9, 6)});
  search.advance(std::vector{candidate(-3, kEnd, 0), candidate(-12, kEnd, 1), candidate(-13, 7)});
  const NBest found = std::move(search).result();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_THAT(found[0].ids, ElementsAre(5));  // -3 / 2
  EXPECT_TRUE(found[1].ids.empty());          // -2 / 1
}

TEST_F(BeamTest, GroupsEndOneByOneAndShareTheirResult) {
  options_ = {.beam = 4, .nbest = 4, .length_penalty = 0, .diverse_groups = 2};
  Beam search = beam();
  EXPECT_THAT(search.sums(), ElementsAre(0, 0));
  using Step = std::vector<std::vector<Candidate>>;
  EXPECT_TRUE(search.advance_groups(Step{{candidate(-1, 5, 0), candidate(-2, 6, 0)},
                                         {candidate(-3, 7, 1), candidate(-4, 5, 1)}}));
  EXPECT_THAT(search.sums(), ElementsAre(-1, -2, -3, -4));
  // The first group has its two translations; the second one continues.
  EXPECT_TRUE(search.advance_groups(
      Step{{candidate(-2, kEnd, 0), candidate(-3, kEnd, 1), candidate(-4, 8, 0)},
           {candidate(-5, kEnd, 3), candidate(-6, 9, 2)}}));
  EXPECT_EQ(search.group_size(0), 0U);
  EXPECT_EQ(search.group_size(1), 1U);
  EXPECT_EQ(search.token(0), 9);
  EXPECT_EQ(search.parent(0), 2);
  EXPECT_FALSE(search.advance_groups(Step{{}, {candidate(-7, kEnd, 0)}}));
  const NBest found = std::move(search).result();
  ASSERT_EQ(found.size(), 3U);  // both groups have found 5
  EXPECT_THAT(found[0].ids, ElementsAre(5));
  EXPECT_EQ(found[0].sum, -2);
  EXPECT_THAT(found[1].ids, ElementsAre(6));
  EXPECT_THAT(found[2].ids, ElementsAre(7, 9));
}

TEST_F(BeamTest, ACoveragePenaltyNeedsAllFinishedHypotheses) {
  options_ = {.beam = 2, .nbest = 1, .length_penalty = 0, .coverage_penalty = 0.1};
  Beam search = beam();
  // No open hypothesis is better, but the penalty may change that.
  EXPECT_TRUE(search.advance(std::vector{candidate(-1, kEnd), candidate(-2, 6)}));
  EXPECT_FALSE(search.advance(std::vector{candidate(-3, kEnd), candidate(-4, 6)}));
  const NBest found = std::move(search).result();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_THAT(found[1].rows, ElementsAre(0, 0));
}

TEST_F(BeamTest, WithConstraintsHalfAsManyHypothesesEndTheSearch) {
  options_ = {.beam = 4, .nbest = 1, .length_penalty = 10};  // any hypothesis can still win
  const std::vector<Candidate> step = {candidate(-1, kEnd), candidate(-1, kEnd), candidate(-2, 7)};
  Beam free = beam();
  EXPECT_TRUE(free.advance(step));
  task_.constraints = std::make_shared<const ConstraintTrie>(
      TermConstraints{.terms = {Constraint{std::vector<int32_t>{7}}}});
  Beam constrained = beam();
  EXPECT_FALSE(constrained.advance(step));
  options_.nbest = 3;
  Beam of_three = beam();
  EXPECT_TRUE(of_three.advance(step));
}

// A forced token that names the language has the same log-probability in all hypotheses.
TEST_F(BeamTest, TokensThatNameTheLanguageScoreNothing) {
  task_.prefix = {7};
  task_.unscored = 1;
  Beam search = beam();
  ASSERT_TRUE(search.advance(std::vector{candidate(-5, 7)}));
  ASSERT_TRUE(search.advance(std::vector<Candidate>{{-6, -1, 0, 8}, {-7, -2, 0, kEnd}}));
  ASSERT_FALSE(search.advance(std::vector<Candidate>{{-6.5, -0.5, 0, kEnd}}));
  const NBest found = std::move(search).result();
  EXPECT_THAT(found.front().ids, ElementsAre(7, 8));
  EXPECT_THAT(found.front().token_scores, ElementsAre(0, -1, -0.5));
  EXPECT_THAT(found.front().sum, DoubleEq(-1.5));
}

}  // namespace
}  // namespace dietmt::nmt
