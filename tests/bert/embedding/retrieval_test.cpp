// Expected pairs and scores are from NumPy: all cosines at once, sorted.
#include "bert/embedding/retrieval.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace dietmt::bert {
namespace {

using Expected = std::vector<std::tuple<int64_t, int64_t, double>>;

void expect_pairs(const std::vector<RetrievedPair>& found, const Expected& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    const auto& [source, target, score] = expected[i];
    EXPECT_EQ(found[i].source, source) << i;
    EXPECT_EQ(found[i].target, target) << i;
    EXPECT_NEAR(found[i].score, score, 2e-6) << i;
  }
}

at::Tensor sources() {
  return at::tensor({1.0F, 0.0F, 0.2F, 0.0F, 1.0F, 0.1F, 0.3F, 0.3F, 1.0F, 1.0F, 1.0F, 0.0F})
      .view({4, 3});
}

at::Tensor targets() {
  return at::tensor({0.2F, 1.0F, 0.0F, 1.0F, 0.1F, 0.3F, 0.9F, 0.9F, 0.2F, 0.0F, 0.2F, 1.0F, 1.0F,
                     0.8F, 0.0F})
      .view({5, 3});
}

TEST(Retrieval, ByCosine) {
  const Retrieval found = retrieve(sources(), targets(), {});
  expect_pairs(found.nearest,
               {{0, 1, 0.991044}, {1, 0, 0.975714}, {2, 3, 0.95686}, {3, 4, 0.993884}});
  expect_pairs(found.mutual,
               {{3, 4, 0.993884}, {0, 1, 0.991044}, {1, 0, 0.975714}, {2, 3, 0.95686}});
}

TEST(Retrieval, ByTheMarginOfTwoNeighbors) {
  const Retrieval found = retrieve(sources(), targets(), {.neighbors = 2});
  expect_pairs(found.nearest,
               {{0, 1, 1.136058}, {1, 0, 1.117019}, {2, 3, 1.387052}, {3, 2, 1.072308}});
  expect_pairs(found.mutual,
               {{2, 3, 1.387052}, {0, 1, 1.136058}, {1, 0, 1.117019}, {3, 2, 1.072308}});
}

TEST(Retrieval, LengthsOfVectorsDoNotMatter) {
  const Retrieval found = retrieve(sources() * 7, targets() * 0.01, {.neighbors = 2});
  EXPECT_NEAR(found.nearest[2].score, 1.387052, 2e-6);
  EXPECT_EQ(retrieve(at::zeros({1, 3}), targets(), {}).nearest[0].score, 0.0);
}

// More sentences than a block holds on either side: row i of one side is row N - 1 - i of the other
// and the nearest to it.
TEST(Retrieval, BlocksChangeNothing) {
  const int64_t count = 9000;
  const at::Tensor angles = at::arange(count, at::kDouble) * (1.5 / static_cast<double>(count));
  const at::Tensor rows = at::stack({angles.cos(), angles.sin()}, 1).to(at::kFloat);
  const Retrieval found = retrieve(rows, rows.flip(0), {});
  int64_t far = 0;
  for (const RetrievedPair& pair : found.nearest)
    far += std::abs(pair.target - (count - 1 - pair.source)) > 40 ? 1 : 0;  // equal in fp32
  EXPECT_EQ(far, 0);
  std::set<int64_t> used;
  for (const RetrievedPair& pair : found.mutual) EXPECT_TRUE(used.insert(pair.target).second);
}

}  // namespace
}  // namespace dietmt::bert
