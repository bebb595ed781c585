// Beam search with the distributions of a TableScorer.
#pragma once

#include <gmock/gmock.h>

#include <utility>
#include <vector>

#include "nmt/search/beam.h"
#include "nmt/tensor_decoding/host_searches.h"
#include "tests/nmt/tensor_decoding/table_scorer.h"

namespace dietmt::nmt {

constexpr int64_t kVocabulary = 6;  // unknown, begin, end and three words
inline const SpecialTokens kSpecial;

inline SearchOptions search_options(int64_t beam, int64_t nbest, double length_penalty) {
  SearchOptions options;
  options.beam = beam;
  options.nbest = nbest;
  options.length_penalty = length_penalty;
  return options;
}

inline SearchTask task(int64_t max_length, std::vector<int32_t> prefix = {},
                       int64_t min_length = 0) {
  SearchTask made;
  made.max_length = max_length;
  made.min_length = min_length;
  made.prefix = std::move(prefix);
  return made;
}

inline void expect_same(const NBest& found, const NBest& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].ids, expected[i].ids) << "rank " << i;
    EXPECT_NEAR(found[i].score, expected[i].score, 1e-5);
    EXPECT_NEAR(found[i].sum, expected[i].sum, 1e-5);
    EXPECT_EQ(found[i].token_scores.size(), found[i].ids.size() + 1);
    EXPECT_THAT(found[i].token_scores,
                testing::Pointwise(testing::FloatNear(1e-5F), expected[i].token_scores));
  }
}

inline std::vector<NBest> search(const Distribution& distribution,
                                 const std::vector<SearchTask>& tasks,
                                 const SearchOptions& options) {
  std::vector<int64_t> sentences;
  for (size_t i = 0; i < tasks.size(); ++i) sentences.push_back(static_cast<int64_t>(i));
  TableScorer scorer(distribution, sentences, options.beam);
  return search_on_host(scorer, tasks, kSpecial, options);
}

}  // namespace dietmt::nmt
