#include "metrics/glue_scores.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "common/error.h"
#include "metrics/samples.h"

namespace dietmt::metrics {
namespace {

void check_sizes(std::span<const int> predicted, std::span<const int> gold) {
  if (predicted.size() != gold.size())
    throw Error("there are " + std::to_string(predicted.size()) + " predicted classes for " +
                std::to_string(gold.size()) + " examples");
  if (gold.empty()) throw Error("there are no examples to score predicted classes on");
}

double count_equal(std::span<const int> predicted, std::span<const int> gold) {
  int64_t equal = 0;
  for (size_t i = 0; i < gold.size(); ++i) equal += predicted[i] == gold[i];
  return static_cast<double>(equal);
}

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

void check_sizes(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size())
    throw Error("a correlation needs two sides of one size, these have " +
                std::to_string(x.size()) + " and " + std::to_string(y.size()) + " values");
  if (x.size() < 2) throw Error("a correlation needs two values or more on each side");
}

// Predictions are computed in fp32, so a spread of a few of its roundings is noise.
bool is_constant(std::span<const double> x) {
  constexpr double kNoise = 1e-6;
  const auto [lowest, highest] = std::minmax_element(x.begin(), x.end());
  const double spread = *highest - *lowest;
  return std::isfinite(spread) &&
         spread <= kNoise * std::max(std::abs(*lowest), std::abs(*highest));
}

bool has_nan(std::span<const double> x) {
  return std::any_of(x.begin(), x.end(), [](double value) { return std::isnan(value); });
}

// The deviations from the mean, as a vector of length one.
std::vector<double> standardized(std::span<const double> x) {
  std::vector<double> deviations(x.begin(), x.end());
  const double mean = mean_of(x);
  double largest = 0.0;
  for (double& value : deviations) {
    value -= mean;
    largest = std::max(largest, std::abs(value));
  }
  // Squares of very large or small values would leave the range of double.
  double squares = 0.0;
  for (double& value : deviations) {
    value /= largest;
    squares += value * value;
  }
  for (double& value : deviations) value /= std::sqrt(squares);
  return deviations;
}

// Ranks from 1 on, averaged over equal values.
std::vector<double> average_ranks(std::span<const double> x) {
  std::vector<size_t> order(x.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return x[a] < x[b]; });
  std::vector<double> ranks(x.size());
  for (size_t first = 0, end = 0; first < order.size(); first = end) {
    while (end < order.size() && x[order[end]] == x[order[first]]) ++end;
    for (size_t i = first; i < end; ++i)
      ranks[order[i]] = static_cast<double>(first + 1 + end) / 2.0;
  }
  return ranks;
}

}  // namespace

double accuracy(std::span<const int> predicted, std::span<const int> gold) {
  check_sizes(predicted, gold);
  return count_equal(predicted, gold) / static_cast<double>(gold.size());
}

double f1_score(std::span<const int> predicted, std::span<const int> gold, int positive) {
  check_sizes(predicted, gold);
  int64_t both = 0;
  int64_t either_side = 0;  // 2 tp + fp + fn
  for (size_t i = 0; i < gold.size(); ++i) {
    both += predicted[i] == positive && gold[i] == positive;
    either_side += (predicted[i] == positive) + (gold[i] == positive);
  }
  if (either_side == 0) return 0.0;
  return 2.0 * static_cast<double>(both) / static_cast<double>(either_side);
}

double matthews_correlation(std::span<const int> predicted, std::span<const int> gold) {
  check_sizes(predicted, gold);
  struct Occurrences {
    double predicted = 0.0;
    double gold = 0.0;
  };
  std::map<int, Occurrences> classes;
  for (const int k : predicted) ++classes[k].predicted;
  for (const int k : gold) ++classes[k].gold;

  const auto n = static_cast<double>(gold.size());
  double covariance = count_equal(predicted, gold) * n;
  double predicted_variance = n * n;
  double gold_variance = n * n;
  for (const auto& [k, count] : classes) {
    covariance -= count.predicted * count.gold;
    predicted_variance -= count.predicted * count.predicted;
    gold_variance -= count.gold * count.gold;
  }
  const double scale = std::sqrt(predicted_variance * gold_variance);
  return scale > 0.0 ? covariance / scale : 0.0;
}

double pearson(std::span<const double> x, std::span<const double> y) {
  check_sizes(x, y);
  if (is_constant(x) || is_constant(y)) return kUndefined;
  const std::vector<double> a = standardized(x);
  const std::vector<double> b = standardized(y);
  const double r = std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  return std::clamp(r, -1.0, 1.0);
}

double spearman(std::span<const double> x, std::span<const double> y) {
  check_sizes(x, y);
  if (has_nan(x) || has_nan(y) || is_constant(x) || is_constant(y)) return kUndefined;
  return pearson(average_ranks(x), average_ranks(y));
}

}  // namespace dietmt::metrics
