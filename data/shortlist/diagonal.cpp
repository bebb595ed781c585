#include "data/shortlist/diagonal.h"

#include <algorithm>
#include <cmath>

namespace dietmt::data {
namespace {

// Moments of the distance from the diagonal under the model, summed over the tokens.
struct Moments {
  double mean = 0.0;
  double variance = 0.0;  // minus the derivative of the mean by the tension
};

Moments moments(const TensionStatistics& statistics, double tension) {
  Moments total;
  std::vector<double> weights;
  for (const auto& [lengths, place] : statistics.places) {
    const auto [m, n] = lengths;
    weights.resize(static_cast<size_t>(n));
    for (int64_t i = 1; i <= m; ++i) {
      const double z = diagonal_weights(i, m, tension, weights);
      double first = 0.0, second = 0.0;
      for (int64_t j = 1; j <= n; ++j) {
        const double distance = distance_from_diagonal(i, m, j, n);
        const double p = weights[static_cast<size_t>(j - 1)] / z;
        first += p * distance;
        second += p * distance * distance;
      }
      const double mass = from_fixed(statistics.masses[place + static_cast<size_t>(i - 1)]);
      total.mean += mass * first;
      total.variance += mass * (second - first * first);
    }
  }
  return total;
}

}  // namespace

double distance_from_diagonal(int64_t i, int64_t m, int64_t j, int64_t n) {
  return std::abs(static_cast<double>(i) / static_cast<double>(m) -
                  static_cast<double>(j) / static_cast<double>(n));
}

double diagonal_weights(int64_t i, int64_t m, double tension, std::span<double> weights) {
  const auto n = static_cast<int64_t>(weights.size());
  const auto weight = [&](int64_t j) -> double& { return weights[static_cast<size_t>(j - 1)]; };
  // The last position before the diagonal or on it; one step away from it is a factor of `ratio`.
  const int64_t below = i * n / m;
  const double ratio = std::exp(-tension / static_cast<double>(n));
  double sum = 0.0;
  double value = std::exp(-tension * distance_from_diagonal(i, m, below, n));
  // After it the distance is the rest up to the next position.
  double after = below < n ? ratio / value : 0.0;
  for (int64_t j = below; j >= 1; --j, value *= ratio) sum += weight(j) = value;
  for (int64_t j = below + 1; j <= n; ++j, after *= ratio) sum += weight(j) = after;
  return sum;
}

double best_tension(const TensionStatistics& statistics, double tension) {
  constexpr int kSteps = 50;
  constexpr double kPrecision = 1e-7;
  double low = kSmallestTension, high = kLargestTension;
  tension = std::clamp(tension, low, high);
  for (int step = 0; step < kSteps && high - low > kPrecision; ++step) {
    const Moments expected = moments(statistics, tension);
    const double excess = expected.mean - statistics.distance;
    (excess > 0 ? low : high) = tension;
    double next = tension + excess / expected.variance;
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (std::abs(next - tension) < kPrecision) return next;
    tension = next;
  }
  return tension;
}

}  // namespace dietmt::data
