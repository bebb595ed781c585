#include "data/shortlist/aligner.h"

#include <gmock/gmock.h>

#include <cmath>

#include "data/shortlist/diagonal.h"
#include "tests/data/shortlist/toy_pairs.h"

namespace dietmt::data {
namespace {

struct Training {
  TranslationTable table;
  std::vector<AlignerIteration> iterations;
};

Training train(const SentencePairs& pairs, const AlignerOptions& options) {
  std::vector<AlignerIteration> iterations;
  TranslationTable table = align(
      pairs, options, [&](const AlignerIteration& iteration) { iterations.push_back(iteration); });
  return {std::move(table), std::move(iterations)};
}

int32_t best_target(const TranslationTable& table, int32_t source) {
  const auto p = table.probabilities(source);
  return table.targets(
      source)[static_cast<size_t>(std::max_element(p.begin(), p.end()) - p.begin())];
}

// Two pairs, (1 2 -> 0 1) and (1 -> 0), computed by hand.
TEST(AlignerTest, EStepAndMStepAreThoseOfTheFormulas) {
  const IdText text{{{1, 2}, {1}}, {{0, 1}, {0}}};
  const SentencePairs pairs = text.pairs(3, 2);
  AlignerOptions options;
  options.null_probability = 0.1;
  options.tension = 2.0;
  options.iterations = 2;
  const Training two = train(pairs, options);

  // First E-step: the prior. Target 1 of 2 is on source 1 of 2 and half a sentence from source 2.
  const double near = 0.9 / (1 + std::exp(-1.0)), far = 0.9 - near;
  const double count_1_0 = near + 0.9, count_1_1 = far;  // count_source_target
  const double count_2_0 = far, count_2_1 = near;
  const double count_null_0 = 0.2, count_null_1 = 0.1;
  options.iterations = 1;
  const Training one = train(pairs, options);
  const auto p = [](const TranslationTable& table, int32_t row, int32_t target) {
    return table.probability(table.find(row, target));
  };
  const double p_1_0 = count_1_0 / (count_1_0 + count_1_1), p_1_1 = 1 - p_1_0;
  const double p_2_0 = count_2_0 / (count_2_0 + count_2_1), p_2_1 = 1 - p_2_0;
  const double p_null_0 = count_null_0 / (count_null_0 + count_null_1), p_null_1 = 1 - p_null_0;
  EXPECT_NEAR(p(one.table, 1, 0), p_1_0, 1e-6);
  EXPECT_NEAR(p(one.table, 2, 0), p_2_0, 1e-6);
  EXPECT_NEAR(p(one.table, one.table.null_row(), 0), p_null_0, 1e-6);
  EXPECT_EQ(p(one.table, 0, 0), 0) << "source id 0 does not occur";
  EXPECT_NEAR(one.iterations[0].log_likelihood, 3 * std::log(0.5), 1e-12);
  EXPECT_EQ(one.iterations[0].tension, 2.0);

  // Second E-step: the posterior.
  const double sum_0 =
      near * p_1_0 + far * p_2_0 + 0.1 * p_null_0;  // of target 1 of the first pair
  const double sum_1 = far * p_1_1 + near * p_2_1 + 0.1 * p_null_1;
  const double sum_2 = 0.9 * p_1_0 + 0.1 * p_null_0;
  const double next_1_0 = near * p_1_0 / sum_0 + 0.9 * p_1_0 / sum_2;
  const double next_1_1 = far * p_1_1 / sum_1;
  const double next_2_0 = far * p_2_0 / sum_0, next_2_1 = near * p_2_1 / sum_1;
  EXPECT_NEAR(p(two.table, 1, 0), next_1_0 / (next_1_0 + next_1_1), 1e-6);
  EXPECT_NEAR(p(two.table, 2, 1), next_2_1 / (next_2_0 + next_2_1), 1e-6);
  EXPECT_NEAR(two.iterations[1].log_likelihood, std::log(sum_0) + std::log(sum_1) + std::log(sum_2),
              1e-6);
  // The tension at which the two tokens not aligned to null in the first pair are expected as far
  // off the diagonal as they were found: exp(-tension / 2) is the odds of being half a sentence
  // off.
  const double off = 0.5 * (far * p_2_0 / sum_0 + far * p_1_1 / sum_1);
  const double mass = 2 - 0.1 * p_null_0 / sum_0 - 0.1 * p_null_1 / sum_1;
  const double share = off / (0.5 * mass);
  EXPECT_NEAR(two.iterations[1].tension, -2 * std::log(share / (1 - share)), 1e-4);
}

class WordOrderTest : public testing::TestWithParam<WordOrder> {};

TEST_P(WordOrderTest, FindsTheDictionary) {
  constexpr int32_t kWords = 120;
  const IdText text = toy_pairs(3000, kWords, GetParam(), 1);
  const Training training = train(text.pairs(kWords, kWords + 1), {});
  for (int32_t word = 0; word < kWords; ++word) {
    EXPECT_EQ(best_target(training.table, word), toy_translation(word, kWords)) << word;
    const int64_t cell = training.table.find(word, toy_translation(word, kWords));
    EXPECT_GT(training.table.probability(cell), 0.8) << word;
  }
  EXPECT_EQ(best_target(training.table, training.table.null_row()), kWords)
      << "what no word translates as comes from the null word";
}

TEST_P(WordOrderTest, LikelihoodNeverFalls) {
  const IdText text = toy_pairs(800, 60, GetParam(), 2);
  AlignerOptions options;
  options.iterations = 25;
  const Training training = train(text.pairs(60, 61), options);
  ASSERT_EQ(training.iterations.size(), 25u);
  for (size_t i = 1; i < training.iterations.size(); ++i) {
    const double before = training.iterations[i - 1].log_likelihood;
    // Probabilities are floats: each token's has a relative error of 6e-8.
    EXPECT_GE(training.iterations[i].log_likelihood, before - 1e-3) << "iteration " << i + 1;
  }
  EXPECT_GT(training.iterations.back().log_likelihood,
            0.6 * training.iterations.front().log_likelihood);
}

INSTANTIATE_TEST_SUITE_P(Orders, WordOrderTest,
                         testing::Values(WordOrder::kKept, WordOrder::kVerbLast,
                                         WordOrder::kReversed));

TEST(AlignerTest, TensionFollowsTheWordOrder) {
  const auto last_tension = [](WordOrder order) {
    const IdText text = toy_pairs(1000, 60, order, 3);
    return train(text.pairs(60, 61), {}).iterations.back().tension;
  };
  const double kept = last_tension(WordOrder::kKept);
  const double verb_last = last_tension(WordOrder::kVerbLast);
  EXPECT_GT(kept, AlignerOptions().tension);
  EXPECT_LT(verb_last, kept);
  EXPECT_LT(last_tension(WordOrder::kReversed), std::min(verb_last, AlignerOptions().tension));
}

TEST(AlignerTest, ThreadsDoNotChangeABit) {
  const IdText text = toy_pairs(20'000, 90, WordOrder::kVerbLast, 4);  // several blocks
  const SentencePairs pairs = text.pairs(90, 91);
  AlignerOptions options;
  options.iterations = 3;
  const Training one = train(pairs, options);
  options.threads = 3;
  const Training three = train(pairs, options);
  for (int32_t row = 0; row <= one.table.null_row(); ++row) {
    EXPECT_THAT(three.table.targets(row), testing::ElementsAreArray(one.table.targets(row)));
    EXPECT_THAT(three.table.probabilities(row),
                testing::ElementsAreArray(one.table.probabilities(row)));
  }
  for (size_t i = 0; i < one.iterations.size(); ++i) {
    EXPECT_EQ(three.iterations[i].log_likelihood, one.iterations[i].log_likelihood);
    EXPECT_EQ(three.iterations[i].tension, one.iterations[i].tension);
  }
}

TEST(AlignerTest, ASmallTableStillHoldsTheDictionary) {
  constexpr int32_t kWords = 120;
  const IdText text = toy_pairs(3000, kWords, WordOrder::kKept, 5);
  AlignerOptions options;
  options.largest_table = 2000;  // of 14,000 pairs that occur
  const Training training = train(text.pairs(kWords, kWords + 1), options);
  EXPECT_LE(training.table.cells(), 2000 + kWords + 1);
  EXPECT_GT(training.iterations.front().dropped, 5000);
  int found = 0;
  for (int32_t word = 0; word < kWords; ++word)
    found += training.table.find(word, toy_translation(word, kWords)) >= 0 &&
             best_target(training.table, word) == toy_translation(word, kWords);
  EXPECT_EQ(found, kWords);
}

// Word w of the toy language means (7 w + 3) mod 40, and the order is reversed.
TEST(AlignerTest, LinksAreTheMostProbableSourceWords) {
  const IdText text = toy_pairs(3000, 40, WordOrder::kReversed, 5);
  const SentencePairs pairs = text.pairs(40, 41);
  const WordAligner aligner = train_aligner(pairs, {}, [](const AlignerIteration&) {});
  int64_t right = 0, all = 0;
  for (int64_t i = 0; i < 200; ++i) {
    const TokenPair pair = pairs.at(i);
    const std::vector<int32_t> links = aligner.links(pair);
    ASSERT_EQ(links.size(), pair.target.size());
    for (size_t t = 0; t < links.size(); ++t) {
      if (pair.target[t] == 40) {
        EXPECT_LE(links[t], static_cast<int32_t>(pair.source.size()) - 1);
        continue;
      }
      ++all;
      right += links[t] >= 0 && toy_translation(pair.source[static_cast<size_t>(links[t])], 40) ==
                                    pair.target[t]
                   ? 1
                   : 0;
    }
  }
  EXPECT_GT(right, all * 95 / 100) << right << " of " << all;
}

// p(0 | 1) = 0.1 * 0.5 + 0.9 * p_table, and an unknown token costs the same in any sentence.
TEST(AlignerTest, EntropyIsThatOfTheFormula) {
  const IdText text{{{1}, {1}, {2}}, {{0}, {0}, {1}}};
  AlignerOptions options;
  options.null_probability = 0.1;
  options.iterations = 1;
  const WordAligner aligner = train_aligner(text.pairs(3, 2), options, [](const auto&) {});
  const std::vector<int32_t> one{1}, two{2}, unknown{-1}, none, both{0, -1}, zero{0};
  const double null = aligner.table.probability(aligner.table.find(aligner.table.null_row(), 0));
  EXPECT_NEAR(aligner.entropy({one, zero}), -std::log(0.1 * null + 0.9), 1e-6);
  EXPECT_NEAR(aligner.entropy({two, zero}), -std::log(0.1 * null), 1e-6);
  EXPECT_NEAR(aligner.entropy({unknown, zero}), -std::log(0.1 * null), 1e-6);
  EXPECT_EQ(aligner.entropy({one, none}), 0);
  EXPECT_NEAR(aligner.entropy({one, both}),
              (aligner.entropy({one, zero}) + WordAligner::kUnknownEntropy) / 2, 1e-9);
}

}  // namespace
}  // namespace dietmt::data
