#include "nmt/tensor_decoding/sampling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/nmt/tensor_decoding/table_scorer.h"

namespace dietmt::nmt {
namespace {

const SpecialTokens kTokens;

SearchOptions sampling_options() {
  SearchOptions options;
  options.sample = true;
  return options;
}

// How often each token is drawn from `probabilities` in `draws` draws.
std::vector<int64_t> histogram(const std::vector<double>& probabilities, int64_t draws,
                               const SearchOptions& options) {
  const at::Tensor row = at::tensor(probabilities, at::kDouble).log().to(at::kFloat);
  std::vector<double> uniforms;
  Random random(5);
  for (int64_t i = 0; i < draws; ++i) uniforms.push_back(random.uniform());
  const at::Tensor tokens = draw_tokens(row.expand({draws, -1}).contiguous(), uniforms, options);
  std::vector<int64_t> counts(probabilities.size());
  for (int64_t i = 0; i < draws; ++i) ++counts[static_cast<size_t>(tokens.data_ptr<int64_t>()[i])];
  return counts;
}

// Each count is within five standard deviations of its expectation.
void expect_distribution(const std::vector<int64_t>& counts, const std::vector<double>& expected,
                         int64_t draws) {
  for (size_t i = 0; i < counts.size(); ++i) {
    const double mean = expected[i] * static_cast<double>(draws);
    const double deviation = std::sqrt(mean * (1.0 - expected[i]));
    EXPECT_NEAR(static_cast<double>(counts[i]), mean, 5.0 * deviation) << "token " << i;
  }
}

const std::vector<double> kProbabilities = {0.05, 0.4, 0.0, 0.25, 0.2, 0.1};
constexpr int64_t kDraws = 20000;

TEST(DrawTokens, FollowTheDistribution) {
  expect_distribution(histogram(kProbabilities, kDraws, sampling_options()), kProbabilities,
                      kDraws);
}

TEST(DrawTokens, TemperatureSharpens) {
  SearchOptions options = sampling_options();
  options.temperature = 0.5;
  std::vector<double> squares;
  double sum = 0.0;
  for (const double p : kProbabilities) sum += p * p;
  for (const double p : kProbabilities) squares.push_back(p * p / sum);
  expect_distribution(histogram(kProbabilities, kDraws, options), squares, kDraws);
}

TEST(DrawTokens, TopKKeepsTheMostProbable) {
  SearchOptions options = sampling_options();
  options.top_k = 2;
  expect_distribution(histogram(kProbabilities, kDraws, options),
                      {0, 0.4 / 0.65, 0, 0.25 / 0.65, 0, 0}, kDraws);
}

TEST(DrawTokens, TopPKeepsTheSmallestSetThatReachesIt) {
  SearchOptions options = sampling_options();
  options.top_p = 0.7;  // 0.4 + 0.25 is not enough
  expect_distribution(histogram(kProbabilities, kDraws, options),
                      {0, 0.4 / 0.85, 0, 0.25 / 0.85, 0.2 / 0.85, 0}, kDraws);
}

TEST(DrawTokens, EpsilonDropsImprobableTokens) {
  SearchOptions options = sampling_options();
  options.epsilon = 0.15;
  expect_distribution(histogram(kProbabilities, kDraws, options),
                      {0, 0.4 / 0.85, 0, 0.25 / 0.85, 0.2 / 0.85, 0}, kDraws);
  options.epsilon = 0.5;
  expect_distribution(histogram(kProbabilities, kDraws, options), {0, 1, 0, 0, 0, 0}, kDraws);
}

TEST(DrawTokens, ANucleusLargerThanTheFirstLook) {
  SearchOptions options = sampling_options();
  options.top_p = 0.9;
  const std::vector<double> flat(200, 0.005);
  const std::vector<int64_t> counts = histogram(flat, 4000, options);
  const auto used = std::count_if(counts.begin(), counts.end(), [](int64_t n) { return n > 0; });
  EXPECT_NEAR(static_cast<double>(used), 180.0, 2.0);
}

std::vector<NBest> samples(const std::vector<int64_t>& sentences, const SearchOptions& options) {
  std::vector<SearchTask> tasks;
  for (const int64_t sentence : sentences) {
    tasks.emplace_back();
    tasks.back().max_length = 6 + sentence;
    tasks.back().index = sentence;
  }
  TableScorer scorer(random_distribution(9, 8), sentences, options.nbest);
  return sample_translations(scorer, tasks, kTokens, options);
}

TEST(SampleTranslations, DependOnlyOnSentenceAndSeed) {
  SearchOptions options = sampling_options();
  options.nbest = 3;
  const std::vector<NBest> together = samples({0, 1, 2, 3, 4}, options);
  for (const int64_t sentence : {4, 1, 0}) {
    const NBest alone = samples({sentence}, options)[0];
    const NBest& other = together[static_cast<size_t>(sentence)];
    ASSERT_EQ(alone.size(), 3U);
    for (size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(alone[k].ids, other[k].ids);
      EXPECT_EQ(alone[k].token_scores, other[k].token_scores);
    }
  }
  options.seed = 2;
  const std::vector<NBest> reseeded = samples({0, 1, 2, 3, 4}, options);
  int64_t different = 0;
  for (size_t i = 0; i < together.size(); ++i) {
    for (size_t k = 0; k < 3; ++k) different += together[i][k].ids != reseeded[i][k].ids;
  }
  EXPECT_GT(different, 10);
}

bool repeats_pair(const std::vector<int32_t>& ids) {
  std::set<std::pair<int32_t, int32_t>> seen;
  for (size_t i = 1; i < ids.size(); ++i)
    if (!seen.emplace(ids[i - 1], ids[i]).second) return true;
  return false;
}

TEST(SampleTranslations, RepeatNoNgram) {
  SearchOptions options = sampling_options();
  options.nbest = 20;
  int64_t repeating = 0;
  const NBest free = samples({60}, options)[0];
  for (const Hypothesis& found : free) repeating += repeats_pair(found.ids);
  EXPECT_GT(repeating, 0);
  options.no_repeat_ngram = 2;
  const NBest limited = samples({60}, options)[0];
  for (const Hypothesis& found : limited) EXPECT_FALSE(repeats_pair(found.ids));
}

TEST(SampleTranslations, ScoresHaveTheRepetitionPenalty) {
  SearchOptions options = sampling_options();
  options.nbest = 20;
  options.repetition_penalty = 1.5;
  const Distribution distribution = random_distribution(9, 8);
  int64_t penalized = 0;
  const NBest all = samples({60}, options)[0];
  for (const Hypothesis& found : all) {
    std::vector<int64_t> history = {kTokens.begin};
    for (size_t i = 0; i < found.ids.size(); ++i) {
      const double log_prob = distribution(60, history)[static_cast<size_t>(found.ids[i])];
      const bool repeated =
          std::find(history.begin(), history.end(), found.ids[i]) != history.end();
      penalized += repeated;
      EXPECT_NEAR(found.token_scores[i], repeated ? 1.5 * log_prob : log_prob, 1e-5);
      history.push_back(found.ids[i]);
    }
  }
  EXPECT_GT(penalized, 0);
}

TEST(SampleTranslations, AreScoredByTheModelAndSorted) {
  SearchOptions options = sampling_options();
  options.nbest = 4;
  options.temperature = 2.0;
  const Distribution distribution = random_distribution(9, 8);
  const NBest found = samples({7}, options)[0];
  std::set<std::vector<int32_t>> distinct;
  for (size_t i = 0; i < found.size(); ++i) {
    double sum = 0.0;
    std::vector<int64_t> history = {kTokens.begin};
    for (const int32_t id : found[i].ids) {
      sum += distribution(7, history)[static_cast<size_t>(id)];
      history.push_back(id);
    }
    sum += distribution(7, history)[static_cast<size_t>(kTokens.end)];
    EXPECT_NEAR(found[i].sum, sum, 1e-5);
    if (i > 0) {
      EXPECT_LE(found[i].score, found[i - 1].score);
    }
    distinct.insert(found[i].ids);
  }
  EXPECT_GT(distinct.size(), 1U);
}

}  // namespace
}  // namespace dietmt::nmt
