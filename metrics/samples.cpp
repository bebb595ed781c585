#include "metrics/samples.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace dietmt::metrics {
namespace {

constexpr double kUndefinedStatistic = std::numeric_limits<double>::quiet_NaN();

// The probability of a |t| at least as large.
double two_sided_p(double t, double degrees) {
  if (std::isnan(t)) return kUndefinedStatistic;
  if (std::isinf(t)) return 0.0;
  const boost::math::students_t distribution(degrees);
  return 2.0 * boost::math::cdf(boost::math::complement(distribution, std::abs(t)));
}

}  // namespace

double mean_of(std::span<const double> values) {
  if (values.empty()) return kUndefinedStatistic;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double mean_of_defined(std::span<const double> values) {
  std::vector<double> defined(values.begin(), values.end());
  std::erase_if(defined, [](double value) { return std::isnan(value); });
  return mean_of(defined);
}

double deviation_of(std::span<const double> values) {
  if (values.size() < 2) return kUndefinedStatistic;
  const double mean = mean_of(values);
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double welch_p(std::span<const double> a, std::span<const double> b) {
  if (a.size() < 2 || b.size() < 2) return kUndefinedStatistic;
  const auto variance_of_mean = [](std::span<const double> values) {
    const double deviation = deviation_of(values);
    return deviation * deviation / static_cast<double>(values.size());
  };
  const double of_a = variance_of_mean(a), of_b = variance_of_mean(b);
  const double difference = mean_of(a) - mean_of(b);
  if (of_a + of_b == 0.0) return difference == 0.0 ? kUndefinedStatistic : 0.0;
  // Welch and Satterthwaite's degrees of freedom, by shares so that small variances do not vanish.
  const double share = of_a / (of_a + of_b);
  const double degrees = 1.0 / (share * share / static_cast<double>(a.size() - 1) +
                                (1.0 - share) * (1.0 - share) / static_cast<double>(b.size() - 1));
  return two_sided_p(difference / std::sqrt(of_a + of_b), degrees);
}

double correlation_p(double r, size_t pairs) {
  if (std::isnan(r) || pairs < 3) return kUndefinedStatistic;
  const auto degrees = static_cast<double>(pairs - 2);
  return two_sided_p(r * std::sqrt(degrees / ((1.0 - r) * (1.0 + r))), degrees);
}

}  // namespace dietmt::metrics
