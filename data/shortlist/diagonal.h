// The prior of aligning a target position to a source position, which prefers positions near the
// diagonal (Dyer, Chahuneau and Smith, NAACL 2013, section 2).
//
//   delta(null) = p0,   delta(j | i, m, n) = (1 - p0) exp(-tension |i/m - j/n|) / Z(i, m, n)
//
// with i = 1..m in a target sentence of m tokens, j = 1..n in a source sentence of n.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "data/shortlist/cooccurrence.h"

namespace dietmt::data {

constexpr double kSmallestTension = 0.1;
constexpr double kLargestTension = 20.0;

/// |i/m - j/n|.
double distance_from_diagonal(int64_t i, int64_t m, int64_t j, int64_t n);

/// Fills weights[j-1] with exp(-tension |i/m - j/n|) for all n = weights.size() source positions
/// and returns their sum Z. Takes two calls of exp.
double diagonal_weights(int64_t i, int64_t m, double tension, std::span<double> weights);

/// The statistics of an E-step for the tension: `masses[places[{m, n}] + i - 1]` is the expected
/// number of tokens at target position i of sentence pairs of these lengths that are not aligned to
/// null, `distance` the sum of their expected distances from the diagonal.
struct TensionStatistics {
  std::map<std::pair<int64_t, int64_t>, size_t> places;
  std::vector<FixedCount> masses;
  double distance = 0.0;
};

/// The tension of largest expected log-likelihood, which is concave in it: where the model's own
/// expected distance is the observed one. Newton's method within brackets, started at `tension`;
/// the result is in kSmallestTension .. kLargestTension.
double best_tension(const TensionStatistics& statistics, double tension);

}  // namespace dietmt::data
