#include "nmt/batch_decoding/candidates.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace dietmt::nmt {
namespace {

// The definition: all candidates, sorted.
std::vector<Candidate> sorted_candidates(const at::Tensor& log_probs,
                                         const std::vector<double>& sums, int64_t sentence,
                                         int64_t beams, size_t count) {
  std::vector<Candidate> all;
  for (int64_t k = 0; k < beams; ++k) {
    const int64_t row = sentence * beams + k;
    for (int64_t v = 0; v < log_probs.size(1); ++v) {
      const auto log_prob = log_probs[row][v].item<float>();
      const double sum = sums[static_cast<size_t>(row)] + log_prob;
      if (sum > -INFINITY)
        all.push_back({sum, log_prob, static_cast<int32_t>(k), static_cast<int32_t>(v)});
    }
  }
  std::sort(all.begin(), all.end(),
            [](const Candidate& a, const Candidate& b) { return a.before(b); });
  all.resize(std::min(all.size(), count));
  return all;
}

void expect_sorted_selection(const at::Tensor& log_probs, const std::vector<double>& sums,
                             int64_t sentences, int64_t count) {
  const int64_t beams = log_probs.size(0) / sentences;
  const auto found = best_candidates(log_probs, sums, sentences, count);
  for (int64_t b = 0; b < sentences; ++b) {
    const auto expected = sorted_candidates(log_probs, sums, b, beams, static_cast<size_t>(count));
    const auto& got = found[static_cast<size_t>(b)];
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].beam, expected[i].beam) << "rank " << i;
      EXPECT_EQ(got[i].token, expected[i].token) << "rank " << i;
      EXPECT_EQ(got[i].sum, expected[i].sum) << "rank " << i;
      EXPECT_EQ(got[i].log_prob, expected[i].log_prob) << "rank " << i;
    }
  }
}

std::vector<double> random_sums(int64_t rows) {
  const at::Tensor drawn = -10 * at::rand({rows}, at::kDouble);
  return {drawn.data_ptr<double>(), drawn.data_ptr<double>() + rows};
}

TEST(BestCandidates, EqualsAFullSort) {
  at::manual_seed(1);
  for (const int64_t vocabulary : {3, 63, 64, 65, 1000}) {
    const at::Tensor log_probs = (3 * at::randn({12, vocabulary})).log_softmax(-1);
    for (const int64_t count : {1, 2, 8}) {
      expect_sorted_selection(log_probs, random_sums(12), 3, count);
    }
  }
}

TEST(BestCandidates, TiesGoToTheFirstBeamAndToken) {
  at::manual_seed(2);
  const at::Tensor log_probs = -at::randint(0, 4, {8, 300}).to(at::kFloat);
  expect_sorted_selection(log_probs, std::vector<double>(8, -1.0), 2, 10);
}

TEST(BestCandidates, ImpossibleOnesAreLeftOut) {
  at::Tensor log_probs = at::full({4, 100}, -INFINITY);
  log_probs[0][7] = -2.0F;
  log_probs[1][9] = -1.0F;
  log_probs[3][99] = -0.5F;
  const std::vector<double> sums = {0.0, -INFINITY, -1.0, -2.0};
  const auto found = best_candidates(log_probs, sums, 2, 4);
  ASSERT_EQ(found[0].size(), 1U);
  EXPECT_EQ(found[0][0].token, 7);
  ASSERT_EQ(found[1].size(), 1U);
  EXPECT_EQ(found[1][0].beam, 1);
  EXPECT_EQ(found[1][0].sum, -2.5);
}

}  // namespace
}  // namespace dietmt::nmt
