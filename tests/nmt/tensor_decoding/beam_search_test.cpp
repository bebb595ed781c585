#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "common/error.h"
#include "tests/nmt/tensor_decoding/table_search.h"

namespace dietmt::nmt {
namespace {

using testing::ElementsAre;

constexpr double kImpossibleWord = -std::numeric_limits<double>::infinity();

// True if the last `size` tokens also occur earlier.
bool repeats_ngram(const std::vector<int32_t>& tokens, int64_t size) {
  if (std::ssize(tokens) < size) return false;
  const std::vector<int32_t> last(tokens.end() - size, tokens.end());
  return std::search(tokens.begin(), tokens.end() - 1, last.begin(), last.end()) !=
         tokens.end() - 1;
}

// The log-probability of `word` after `open`; minus infinity if the options forbid it.
double limited(double log_prob, const Hypothesis& open, int32_t word,
               const SearchOptions& options) {
  std::vector<int32_t> continued = open.ids;
  continued.push_back(word);
  if (options.no_repeat_ngram > 0 && repeats_ngram(continued, options.no_repeat_ngram))
    return kImpossibleWord;
  const bool repeated = std::find(open.ids.begin(), open.ids.end(), word) != open.ids.end();
  return repeated ? options.repetition_penalty * log_prob : log_prob;
}

// Every complete hypothesis that continues `open`, by plain recursion.
void enumerate(const Distribution& distribution, int64_t sentence, const SearchTask& task,
               const SearchOptions& options, const Hypothesis& open, NBest& all) {
  std::vector<int64_t> history = {kSpecial.begin};
  history.insert(history.end(), open.ids.begin(), open.ids.end());
  std::vector<double> log_probs = distribution(sentence, history);
  const auto length = static_cast<int64_t>(open.ids.size());
  const auto continued = [&](int32_t token) {
    Hypothesis next = open;
    next.sum += log_probs[static_cast<size_t>(token)];
    next.token_scores.push_back(static_cast<float>(log_probs[static_cast<size_t>(token)]));
    return next;
  };
  const bool in_prefix = open.ids.size() < task.prefix.size();
  const bool at_limit = length + 1 == task.max_length;
  if (!in_prefix) {
    for (int32_t word = 3; word < kVocabulary; ++word) {
      double& log_prob = log_probs[static_cast<size_t>(word)];
      log_prob = limited(log_prob, open, word, options);
    }
  }
  const bool is_stuck = std::all_of(log_probs.begin() + 3, log_probs.end(),
                                    [](double log_prob) { return log_prob == kImpossibleWord; });
  if (at_limit || (!in_prefix && (length >= task.min_length || is_stuck))) {
    all.push_back(continued(kSpecial.end));
    all.back().score = length_normalized(all.back().sum, length + 1, options);
  }
  for (int32_t word = 3; word < kVocabulary && !at_limit; ++word) {
    if (in_prefix && task.prefix[open.ids.size()] != word) continue;
    if (log_probs[static_cast<size_t>(word)] == kImpossibleWord) continue;
    Hypothesis next = continued(word);
    next.ids.push_back(word);
    enumerate(distribution, sentence, task, options, next, all);
  }
}

NBest exhaustive(const Distribution& distribution, int64_t sentence, const SearchTask& task,
                 const SearchOptions& options) {
  NBest all;
  enumerate(distribution, sentence, task, options, {}, all);
  std::sort(all.begin(), all.end(),
            [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
  all.resize(std::min(all.size(), static_cast<size_t>(options.nbest)));
  return all;
}

TEST(BeamSearch, WithALargeBeamEqualsEnumeration) {
  // At most 3^4 hypotheses are open at the same time.
  const std::vector<SearchTask> tasks = {task(5), task(1),         task(4),
                                         task(2), task(5, {4, 3}), task(5, {}, 3)};
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const Distribution distribution = random_distribution(seed, kVocabulary);
    for (const char* norm : {"power", "gnmt"}) {
      for (const double length_penalty : {0.0, 0.6, 1.0, 2.0}) {
        SearchOptions options = search_options(150, 7, length_penalty);
        options.length_norm = norm;
        const std::vector<NBest> found = search(distribution, tasks, options);
        for (size_t i = 0; i < tasks.size(); ++i) {
          SCOPED_TRACE("seed " + std::to_string(seed) + " sentence " + std::to_string(i));
          expect_same(found[i],
                      exhaustive(distribution, static_cast<int64_t>(i), tasks[i], options));
        }
      }
    }
  }
}

TEST(BeamSearch, WithLimitsOnRepetitionEqualsEnumeration) {
  const std::vector<SearchTask> tasks = {task(5), task(5, {4, 3, 4, 3}), task(6, {4, 4}),
                                         task(5, {}, 4)};
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    const Distribution distribution = random_distribution(seed, kVocabulary);
    for (const int64_t ngram : {0, 1, 2, 3}) {
      for (const double penalty : {0.5, 1.0, 1.5}) {
        SearchOptions options = search_options(100, 7, 1.0);
        options.no_repeat_ngram = ngram;
        options.repetition_penalty = penalty;
        const std::vector<NBest> found = search(distribution, tasks, options);
        for (size_t i = 0; i < tasks.size(); ++i) {
          SCOPED_TRACE("seed " + std::to_string(seed) + " sentence " + std::to_string(i) +
                       " ngram " + std::to_string(ngram) + " penalty " + std::to_string(penalty));
          expect_same(found[i],
                      exhaustive(distribution, static_cast<int64_t>(i), tasks[i], options));
        }
      }
    }
  }
}

TEST(BeamSearch, EndsWhenEveryWordWouldRepeat) {
  const Distribution distribution = random_distribution(4, kVocabulary);
  SearchOptions options = search_options(4, 1, 1.0);
  options.no_repeat_ngram = 1;
  const NBest found = search(distribution, {task(30, {}, 20)}, options)[0];
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].ids, testing::UnorderedElementsAre(3, 4, 5));
}

TEST(BeamSearch, PatienceFindsBetterHypotheses) {
  // More hypotheses finish, so the best of them is never worse and sometimes better.
  int better = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const Distribution distribution = random_distribution(seed, kVocabulary);
    SearchOptions options = search_options(2, 1, 1.0);
    const double hasty = search(distribution, {task(12)}, options)[0][0].score;
    options.patience = 4.0;
    const double patient = search(distribution, {task(12)}, options)[0][0].score;
    EXPECT_GE(patient, hasty);
    better += patient > hasty ? 1 : 0;
  }
  EXPECT_GT(better, 0);
}

TEST(BeamSearch, OneBeamTakesTheMostProbableTokenEachTime) {
  const Distribution distribution = random_distribution(3, kVocabulary);
  const NBest found = search(distribution, {task(8)}, search_options(1, 1, 1.0))[0];
  ASSERT_EQ(found.size(), 1U);
  std::vector<int64_t> history = {kSpecial.begin};
  for (size_t step = 0; step < found[0].token_scores.size(); ++step) {
    std::vector<double> log_probs = distribution(0, history);
    log_probs[0] = log_probs[1] = -INFINITY;
    const auto best = std::max_element(log_probs.begin(), log_probs.end()) - log_probs.begin();
    const int64_t taken = step < found[0].ids.size() ? found[0].ids[step] : kSpecial.end;
    if (step + 1 < 8) {
      EXPECT_EQ(taken, best);
    }
    history.push_back(taken);
  }
}

// Word 3 looks best (0.6), but its continuations are uncertain; word 4 (0.4) certainly ends.
std::vector<double> garden_path(int64_t, const std::vector<int64_t>& history) {
  const double never = -INFINITY;
  if (history.size() == 1) return {never, never, never, std::log(0.6), std::log(0.4), never};
  if (history[1] == 4) return {never, never, 0.0, never, never, never};
  const double third = std::log(1.0 / 3.0);
  return {never, never, third, third, third, never};
}

TEST(BeamSearch, ABeamOfTwoFindsWhatGreedySearchMisses) {
  const NBest greedy = search(garden_path, {task(3)}, search_options(1, 1, 0.0))[0];
  const NBest two = search(garden_path, {task(3)}, search_options(2, 1, 0.0))[0];
  EXPECT_EQ(greedy[0].ids.front(), 3);
  EXPECT_THAT(two[0].ids, ElementsAre(4));
  EXPECT_NEAR(two[0].score, std::log(0.4), 1e-6);
}

TEST(BeamSearch, LengthPenaltyPrefersLongerHypotheses) {
  // "3 </s>" has log 0.3, "4 4 4 </s>" log 0.2.
  const Distribution distribution = [](int64_t, const std::vector<int64_t>& history) {
    const double never = -INFINITY;
    if (history.size() == 1)
      return std::vector<double>{never, never, std::log(0.5), std::log(0.3), std::log(0.2), never};
    const bool ends = history[1] == 3 || history.size() == 4;
    return std::vector<double>{never, never, ends ? 0.0 : never, never, ends ? never : 0.0, never};
  };
  EXPECT_TRUE(search(distribution, {task(9)}, search_options(5, 1, 0.0))[0][0].ids.empty());
  const NBest normalized = search(distribution, {task(9)}, search_options(5, 3, 1.0))[0];
  EXPECT_THAT(normalized[0].ids, ElementsAre(4, 4, 4));
  EXPECT_NEAR(normalized[0].score, std::log(0.2) / 4, 1e-6);
  EXPECT_THAT(normalized[1].ids, ElementsAre(3));
  EXPECT_NEAR(normalized[1].score, std::log(0.3) / 2, 1e-6);
  EXPECT_NEAR(normalized[2].score, std::log(0.5), 1e-6);
}

TEST(BeamSearch, TakesTheBestOfALargeVocabulary) {
  for (const int64_t vocabulary : {4, 63, 64, 65, 1000}) {
    const Distribution distribution = random_distribution(5, vocabulary);
    const std::vector<double> words = distribution(0, {kSpecial.begin});
    std::vector<double> sums;
    for (size_t word = 3; word < words.size(); ++word) sums.push_back(words[word]);
    std::ranges::sort(sums, std::greater());
    sums.resize(std::min<size_t>(sums.size(), 8));
    SearchOptions options = search_options(8, 8, 0.0);
    options.patience = 100.0;  // so that nothing ends the search early
    const NBest found = search(distribution, {task(2, {}, 1)}, options)[0];
    std::vector<double> of_words;
    for (const Hypothesis& one : found)
      if (!one.ids.empty()) of_words.push_back(one.token_scores.front());
    std::ranges::sort(of_words, std::greater());
    EXPECT_THAT(of_words, testing::Pointwise(testing::DoubleNear(1e-5), sums)) << vocabulary;
  }
}

TEST(BeamSearch, OfEqualScoresTheFirstHypothesisAndTokenWin) {
  const Distribution distribution = [](int64_t, const std::vector<int64_t>&) {
    return std::vector<double>(kVocabulary, -1.0);
  };
  const NBest found = search(distribution, {task(3, {}, 2)}, search_options(4, 4, 0.0))[0];
  ASSERT_EQ(found.size(), 4U);
  EXPECT_THAT(found[0].ids, ElementsAre(3, 3));
  EXPECT_THAT(found[1].ids, ElementsAre(3, 4));
  EXPECT_THAT(found[2].ids, ElementsAre(3, 5));
  EXPECT_THAT(found[3].ids, ElementsAre(4, 3));
}

TEST(BeamSearch, LeavesOutTokensWithoutAProbability) {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  const Distribution distribution = [=](int64_t, const std::vector<int64_t>& history) {
    const bool ends = history.size() > 1;
    return std::vector<double>{nothing, nothing,         ends ? -0.5 : kImpossibleWord,
                               nothing, kImpossibleWord, ends ? nothing : -1.0};
  };
  const NBest found = search(distribution, {task(9)}, search_options(4, 4, 0.0))[0];
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].ids, ElementsAre(5));
  EXPECT_NEAR(found[0].sum, -1.5, 1e-6);
  const Distribution broken = [=](int64_t, const std::vector<int64_t>&) {
    return std::vector<double>(kVocabulary, nothing);
  };
  EXPECT_THROW(search(broken, {task(9)}, search_options(4, 4, 0.0)), DataError);
}

TEST(BeamSearch, ASentenceDoesNotDependOnItsBatch) {
  const Distribution distribution = random_distribution(11, kVocabulary);
  const SearchOptions options = search_options(3, 3, 1.0);
  const std::vector<SearchTask> tasks = {task(9), task(3), task(6, {5}), task(1), task(7)};
  const std::vector<NBest> together = search(distribution, tasks, options);
  for (size_t i = 0; i < tasks.size(); ++i) {
    TableScorer scorer(distribution, {static_cast<int64_t>(i)}, options.beam);
    expect_same(together[i], search_on_host(scorer, {&tasks[i], 1}, kSpecial, options)[0]);
  }
}

TEST(BeamSearch, StopsWhenNoOpenHypothesisCanWin) {
  // End of sentence has probability 0.9 at each step.
  const Distribution distribution = [](int64_t, const std::vector<int64_t>&) {
    const double rest = std::log(0.1 / 5);
    return std::vector<double>{rest, rest, std::log(0.9), rest, rest, rest};
  };
  const std::vector<SearchTask> tasks = {task(50)};
  for (const int64_t nbest : {1, 2}) {
    TableScorer scorer(distribution, {0}, 5);
    const NBest found = search_on_host(scorer, tasks, kSpecial, search_options(5, nbest, 0.0))[0];
    EXPECT_TRUE(found[0].ids.empty());
    EXPECT_EQ(scorer.steps, nbest);  // hypothesis n has n - 1 words
  }
}

TEST(BeamSearch, SpecialTokensAppearOnlyIfAPrefixHasThem) {
  const Distribution distribution = [](int64_t, const std::vector<int64_t>&) {
    return std::vector<double>{-0.1, -0.5, -4.0, -5.0, -6.0, -7.0};
  };
  const NBest found = search(distribution, {task(4, {0})}, search_options(4, 4, 1.0))[0];
  for (const Hypothesis& hypothesis : found) {
    ASSERT_FALSE(hypothesis.ids.empty());
    EXPECT_EQ(hypothesis.ids.front(), 0);
    EXPECT_FLOAT_EQ(hypothesis.token_scores.front(), -0.1F);
    for (size_t i = 1; i < hypothesis.ids.size(); ++i) EXPECT_GE(hypothesis.ids[i], 3);
  }
}

TEST(BeamSearch, ANoWordVocabularyStillEnds) {
  const Distribution distribution = [](int64_t, const std::vector<int64_t>&) {
    return std::vector<double>{-1.0, -1.0, -1.0};
  };
  const NBest found = search(distribution, {task(5)}, search_options(3, 3, 1.0))[0];
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].ids.empty());
}

TEST(SearchOptions, AllProblemsAreListed) {
  SearchOptions options;
  options.beam = 2;
  options.nbest = 3;
  options.length_penalty = -1;
  options.top_p = 0;
  EXPECT_EQ(options.problems().size(), 4U);  // --top-p is out of range and needs --sample
  EXPECT_TRUE(SearchOptions{}.problems().empty());
}

}  // namespace
}  // namespace dietmt::nmt
