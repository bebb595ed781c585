#include "data/shortlist/diagonal.h"

#include <gmock/gmock.h>

#include <cmath>

namespace dietmt::data {
namespace {

TEST(DiagonalTest, WeightsAreTheirDefinition) {
  for (const double tension : {0.1, 4.0, 13.7})
    for (int64_t m = 1; m <= 9; ++m)
      for (int64_t n = 1; n <= 12; ++n)
        for (int64_t i = 1; i <= m; ++i) {
          std::vector<double> weights(static_cast<size_t>(n));
          const double z = diagonal_weights(i, m, tension, weights);
          double sum = 0;
          for (int64_t j = 1; j <= n; ++j) {
            const double expected = std::exp(-tension * distance_from_diagonal(i, m, j, n));
            EXPECT_NEAR(weights[static_cast<size_t>(j - 1)], expected, 1e-12 * expected)
                << i << ' ' << m << ' ' << j << ' ' << n;
            sum += expected;
          }
          EXPECT_NEAR(z, sum, 1e-12 * sum);
        }
}

// Statistics as if every token were where the model with this tension expects it.
TensionStatistics statistics_of(double tension) {
  TensionStatistics statistics;
  for (const auto& [m, n] : std::vector<std::pair<int64_t, int64_t>>{{3, 4}, {10, 8}, {7, 21}}) {
    statistics.places[{m, n}] = statistics.masses.size();
    std::vector<double> weights(static_cast<size_t>(n));
    for (int64_t i = 1; i <= m; ++i) {
      const double mass = static_cast<double>(i % 3) + 0.5;
      statistics.masses.push_back(to_fixed(mass));
      const double z = diagonal_weights(i, m, tension, weights);
      for (int64_t j = 1; j <= n; ++j)
        statistics.distance +=
            mass * weights[static_cast<size_t>(j - 1)] / z * distance_from_diagonal(i, m, j, n);
    }
  }
  return statistics;
}

TEST(DiagonalTest, TheBestTensionExplainsTheDistance) {
  for (const double tension : {0.3, 2.0, 6.5, 17.0})
    for (const double start : {0.1, 4.0, 20.0})
      EXPECT_NEAR(best_tension(statistics_of(tension), start), tension, 1e-5);
}

TEST(DiagonalTest, TensionStaysWithinItsLimits) {
  TensionStatistics statistics = statistics_of(4.0);
  statistics.distance *= 100;
  EXPECT_NEAR(best_tension(statistics, 4.0), kSmallestTension, 1e-5);
  statistics.distance = 0;
  EXPECT_NEAR(best_tension(statistics, 4.0), kLargestTension, 1e-5);
}

}  // namespace
}  // namespace dietmt::data
