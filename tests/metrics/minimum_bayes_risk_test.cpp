#include "metrics/minimum_bayes_risk.h"

#include <gmock/gmock.h>

#include <random>

#include "metrics/bleu.h"
#include "metrics/chrf.h"

namespace dietmt::metrics {
namespace {

using Texts = std::vector<std::string>;

// Sentences of few words, so that they share n-grams; some are equal.
Texts random_sentences(size_t count, std::mt19937& random) {
  const Texts words = {"der", "Hund", "läuft", "dem", "Ball", "nach,", "heute", "nicht."};
  Texts sentences;
  for (size_t i = 0; i < count; ++i) {
    std::string text;
    for (size_t length = 1 + random() % 7; length > 0; --length)
      text += (text.empty() ? "" : " ") + words[random() % words.size()];
    sentences.push_back(text);
  }
  return sentences;
}

double by_definition(const Metric& metric, const Texts& candidates,
                     const std::vector<double>& weights, size_t i) {
  double sum = 0.0;
  for (size_t j = 0; j < candidates.size(); ++j) {
    const double weight =
        weights.empty() ? 1.0 / static_cast<double>(candidates.size()) : weights[j];
    sum += weight * metric.sentence_score(candidates[i], std::span(&candidates[j], 1)).score;
  }
  return sum;
}

void expect_definition(Utility utility, const Metric& metric) {
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    const Texts candidates = random_sentences(12, random);
    std::vector<double> weights;
    if (round % 2 == 0) {
      for (size_t i = 0; i < candidates.size(); ++i)
        weights.push_back(static_cast<double>(i + 1) / 78.0);
    }
    const auto ranked = rank_by_bayes_risk(candidates, weights, {.utility = utility});
    double last = 101.0;
    for (const RankedCandidate& one : ranked) {
      EXPECT_NEAR(one.utility, by_definition(metric, candidates, weights, one.index), 1e-9);
      EXPECT_LE(one.utility, last);
      last = one.utility;
    }
    Texts distinct = candidates;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    EXPECT_EQ(ranked.size(), distinct.size());
  }
}

TEST(MinimumBayesRiskTest, UtilitiesFollowTheDefinition) {
  expect_definition(Utility::kChrf, Chrf(ChrfOptions{}));
  expect_definition(Utility::kBleu, Bleu(BleuOptions{.effective_order = true}));
}

TEST(MinimumBayesRiskTest, WhatIsLikeTheOthersWins) {
  const Texts candidates = {"Katzen schlafen.", "Der Hund läuft.", "Der Hund läuft nicht.",
                            "Ein Hund läuft."};
  EXPECT_EQ(rank_by_bayes_risk(candidates, {}, {}).back().index, 0U);
  // Unless it is improbable.
  const std::vector<double> weights = {0.97, 0.01, 0.01, 0.01};
  EXPECT_EQ(rank_by_bayes_risk(candidates, weights, {}).front().index, 0U);
}

TEST(MinimumBayesRiskTest, EqualCandidatesCountTogetherAndAppearOnce) {
  const Texts candidates = {"a b c d", "x y z w", "x y z w"};
  const auto ranked = rank_by_bayes_risk(candidates, {}, {.utility = Utility::kBleu});
  ASSERT_EQ(ranked.size(), 2U);
  EXPECT_EQ(ranked[0].index, 1U);
  EXPECT_NEAR(ranked[0].utility, 200.0 / 3.0, 1e-9);
}

// Samples from a model resemble each other.
Texts variants(size_t count, std::mt19937& random) {
  const Texts base = random_sentences(10, random);
  Texts all;
  for (size_t i = 0; i < count; ++i) {
    std::string text;
    for (const std::string& part : base)
      text += (random() % 4 == 0 ? random_sentences(1, random).front() : part) + " ";
    all.push_back(text);
  }
  return all;
}

// The estimate of Vamvas and Sennrich selects what is computed; the rest keeps its estimate.
TEST(MinimumBayesRiskTest, TheEstimateFindsGoodCandidates) {
  std::mt19937 random(5);
  for (const Utility utility : {Utility::kChrf, Utility::kBleu}) {
    int same = 0;
    for (int round = 0; round < 30; ++round) {
      const Texts candidates = variants(40, random);
      const auto exact = rank_by_bayes_risk(candidates, {}, {.utility = utility});
      const auto fast = rank_by_bayes_risk(candidates, {}, {.utility = utility, .exact = 8});
      ASSERT_EQ(fast.size(), exact.size());
      const auto found = std::find_if(exact.begin(), exact.end(), [&](const auto& one) {
        return one.index == fast.front().index;
      });
      ASSERT_NE(found, exact.end());
      EXPECT_NEAR(found->utility, fast.front().utility, 1e-9);
      same += found == exact.begin() ? 1 : 0;
    }
    EXPECT_GE(same, 24);
  }
}

TEST(MinimumBayesRiskTest, EmptyCandidatesAreWorthNothing) {
  const auto ranked = rank_by_bayes_risk(Texts{"", "ein Wort"}, {}, {});
  EXPECT_EQ(ranked.front().index, 1U);
  EXPECT_EQ(rank_by_bayes_risk(Texts{""}, {}, {.exact = 1}).size(), 1U);
}

TEST(MinimumBayesRiskTest, UnknownUtilitiesAreNamed) { EXPECT_ANY_THROW(utility_from_name("ter")); }

TEST(MinimumBayesRisk, EqualCandidatesCountTogether) {
  const Texts candidates = {"ein Hund", "der Hund", "ein Hund"};
  const std::vector<double> weights = {0.25, 0.5, 0.25};
  const WeightedCandidates distinct = distinct_candidates(candidates, weights);
  EXPECT_THAT(distinct.texts, testing::ElementsAre("ein Hund", "der Hund"));
  EXPECT_THAT(distinct.weights, testing::ElementsAre(0.5, 0.5));
  EXPECT_THAT(distinct_candidates(candidates, {}).weights,
              testing::ElementsAre(testing::DoubleEq(2.0 / 3), testing::DoubleEq(1.0 / 3)));
  const auto ranked = ranked_candidates(distinct, std::vector<double>{0.1, 0.2});
  ASSERT_EQ(ranked.size(), 2U);
  EXPECT_EQ(ranked[0].index, 1U);
  EXPECT_EQ(ranked[0].utility, 0.2);
  EXPECT_EQ(ranked[1].index, 0U);
}

}  // namespace
}  // namespace dietmt::metrics
