#include "nmt/reranking/weight_tuning.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "common/random.h"
#include "metrics/bleu.h"
#include "nmt/reranking/feature_weights.h"

namespace dietmt::nmt {
namespace {

// The mean of the first statistic.
class MeanRule : public metrics::ScoreRule {
 public:
  std::string name() const override { return "mean"; }
  metrics::Score score(std::span<const double> statistics) const override {
    return {"mean", statistics[0] / statistics[1], "", {}};
  }

 protected:
  std::string signature_fields() const override { return ""; }
};

// Random features; the higher a translation's sum under the hidden weights, the better it is.
std::vector<TuningSentence> toy_sentences(const std::vector<double>& hidden, int64_t count) {
  Random random(5);
  std::vector<TuningSentence> all;
  for (int64_t s = 0; s < count; ++s) {
    TuningSentence& sentence = all.emplace_back();
    std::vector<double> sums;
    for (int64_t c = 0; c < 8; ++c) {
      std::vector<double>& features = sentence.features.emplace_back();
      for (size_t f = 0; f < hidden.size(); ++f) features.push_back(-4.0 * random.uniform());
      sums.push_back(weighted_sum(hidden, features));
    }
    for (const double sum : sums) {
      const auto worse = std::ranges::count_if(sums, [&](double other) { return other < sum; });
      sentence.statistics.push_back({static_cast<double>(worse), 1.0});
    }
  }
  return all;
}

TEST(WeightTuning, FindsTheWeightsThatMadeTheReferences) {
  const std::vector<double> hidden = {0.3, 0.9, -0.5, 0.05};
  const auto sentences = toy_sentences(hidden, 60);
  const MeanRule rule;
  EXPECT_EQ(corpus_score(sentences, hidden, rule), 7.0);  // the best of eight everywhere
  const std::vector<double> start(4, 1.0);
  const double before = corpus_score(sentences, start, rule);
  const TunedWeights tuned = tune_weights(sentences, start, rule, {});
  EXPECT_GT(tuned.score, 6.9);
  EXPECT_LT(before, 6.0);
  EXPECT_EQ(corpus_score(sentences, tuned.weights, rule), tuned.score);
  double cosine = 0.0, norm = 0.0, hidden_norm = 0.0, sum = 0.0;
  for (size_t i = 0; i < hidden.size(); ++i) {
    cosine += tuned.weights[i] * hidden[i];
    norm += tuned.weights[i] * tuned.weights[i];
    hidden_norm += hidden[i] * hidden[i];
    sum += std::abs(tuned.weights[i]);
  }
  EXPECT_GT(cosine / std::sqrt(norm * hidden_norm), 0.98);
  EXPECT_NEAR(sum, 1.0, 1e-12);
}

TEST(WeightTuning, DependsOnlyOnTheSeed) {
  const auto sentences = toy_sentences({0.3, 0.9, -0.5}, 20);
  const std::vector<double> start(3, 1.0);
  const TunedWeights once = tune_weights(sentences, start, MeanRule(), {.seed = 7});
  EXPECT_EQ(tune_weights(sentences, start, MeanRule(), {.seed = 7}).weights, once.weights);
}

// Finds the best point on a line, however narrow its interval.
TEST(WeightTuning, SearchesALineExactly) {
  // Along the second weight x, with the first one 1: translation 1 wins only for 2 < x < 2.001.
  const TuningSentence sentence{.features = {{2.0, 0.0}, {0.0, 1.0}, {-2.001, 2.0}},
                                .statistics = {{0.0, 1.0}, {1.0, 1.0}, {0.0, 1.0}}};
  const TunedWeights tuned =
      tune_weights(std::vector{sentence}, {1.0, 0.0}, MeanRule(), {.restarts = 0});
  EXPECT_EQ(tuned.score, 1.0);
  EXPECT_EQ(ranking(tuned.weights, sentence.features).front(), 1U);
}

TEST(WeightTuning, LeavesWeightsThatNothingImproves) {
  const TuningSentence sentence{.features = {{-1.0, 5.0}, {-2.0, 1.0}},
                                .statistics = {{1.0, 1.0}, {0.0, 1.0}}};
  const TunedWeights tuned = tune_weights(std::vector{sentence}, {3.0, 1.0}, MeanRule(), {});
  EXPECT_THAT(tuned.weights, testing::ElementsAre(0.75, 0.25));
}

TEST(WeightTuning, RaisesBleuOfTheCorpus) {
  const metrics::Bleu bleu({});
  const std::vector<std::string> references = {"the small red house stands on a hill",
                                               "she has never seen the sea before"};
  const std::vector<std::vector<std::string>> texts = {
      {"a house", "the small red house stands on one hill", "the red house on hill"},
      {"she never saw", "sea is seen by her", "she has never seen the sea"}};
  const std::vector<std::vector<std::vector<double>>> features = {
      {{-0.1, -9.0}, {-0.9, -1.0}, {-0.5, -7.0}}, {{-0.2, -8.0}, {-0.3, -9.0}, {-0.9, -2.0}}};
  std::vector<TuningSentence> sentences;
  for (size_t s = 0; s < texts.size(); ++s) {
    sentences.push_back({features[s], {}});
    for (const std::string& text : texts[s])
      sentences.back().statistics.push_back(
          bleu.sentence_statistics(text, std::span(&references[s], 1)));
  }
  const TunedWeights tuned = tune_weights(sentences, {1.0, 0.0}, bleu, {.restarts = 2});
  EXPECT_EQ(tuned.score, bleu.corpus_score({texts[0][1], texts[1][2]}, {references}).score);
}

}  // namespace
}  // namespace dietmt::nmt
