#include "metrics/classification.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <string>

#include "common/error.h"

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

}  // namespace dietmt::metrics
