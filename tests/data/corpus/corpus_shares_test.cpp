#include "data/corpus/corpus_shares.h"

#include <gmock/gmock.h>

#include <numeric>
#include <set>

namespace dietmt::data {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

using Sizes = std::vector<int64_t>;
using Weights = std::vector<double>;

TEST(CorpusSharesTest, TemperatureOneKeepsTheProportions) {
  const Sizes sizes = {7, 1000, 123'456};
  EXPECT_THAT(temperature_weights(sizes, 1), ElementsAre(7 / 123'456.0, 1000 / 123'456.0, 1));
  EXPECT_EQ(shared_out(7 + 1000 + 123'456, temperature_weights(sizes, 1)), sizes);
}

TEST(CorpusSharesTest, TemperatureIsARootOfTheSize) {
  EXPECT_THAT(temperature_weights(Sizes{32, 1024, 0}, 5),
              ElementsAre(DoubleNear(0.5, 1e-12), 1, 0));
  const Weights alike = temperature_weights(Sizes{10, 1'000'000}, 1e6);
  EXPECT_NEAR(alike[0] / alike[1], 1.0, 1e-4);
  EXPECT_THAT(shared_out(60, temperature_weights(Sizes{10, 50, 50}, 0.001)),
              ElementsAre(0, 30, 30));
}

TEST(CorpusSharesTest, SharesAddUp) {
  EXPECT_THAT(shared_out(10, Weights{1, 1, 1}), ElementsAre(4, 3, 3));
  EXPECT_THAT(shared_out(10, Weights{1, 2, 0.5}), ElementsAre(3, 6, 1));
  EXPECT_THAT(shared_out(0, Weights{1, 2}), ElementsAre(0, 0));
  EXPECT_THAT(shared_out(5, Weights{0, 2}), ElementsAre(0, 5));
  for (int64_t draws = 1; draws < 2000; draws += 7) {
    const auto shares = shared_out(draws, Weights{0.1, 0.7, 1.3, 1e-9, 5});
    EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), int64_t{0}), draws);
  }
}

TEST(CorpusSharesTest, DrawsArePassesOverAllItems) {
  std::vector<uint32_t> draws(30);
  draw_items(10, 5, 0, draws);
  std::set<std::vector<uint32_t>> passes;
  for (size_t pass = 0; pass < 3; ++pass) {
    const auto begin = draws.begin() + static_cast<ptrdiff_t>(10 * pass);
    const std::vector<uint32_t> order(begin, begin + 10);
    EXPECT_EQ(std::set(order.begin(), order.end()).size(), 10U);
    EXPECT_LT(*std::max_element(order.begin(), order.end()), 10U);
    passes.insert(order);
  }
  EXPECT_EQ(passes.size(), 3U);

  // Any part of the order equals that part of the whole.
  for (int64_t first = 0; first < 30; ++first) {
    for (int64_t count = 0; first + count <= 30; count += 5) {
      std::vector<uint32_t> part(static_cast<size_t>(count));
      draw_items(10, 5, first, part);
      EXPECT_TRUE(std::equal(part.begin(), part.end(), draws.begin() + first));
    }
  }
}

}  // namespace
}  // namespace dietmt::data
