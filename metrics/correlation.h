// Correlation of predicted with gold numbers (STS-B).
//
//   pearson(predicted, gold)
//
// In [-1, 1], and the same with the sides exchanged. NaN, as in SciPy, where a correlation is not
// defined: a side is constant or holds a NaN. Both functions throw Error if the sides differ in
// size or have fewer than two values.
#pragma once

#include <span>

namespace dietmt::metrics {

/// Pearson's r: the covariance divided by both standard deviations. NaN for infinite values too.
double pearson(std::span<const double> x, std::span<const double> y);

/// Spearman's rho: Pearson's r of the ranks. Equal values share the average of their ranks.
double spearman(std::span<const double> x, std::span<const double> y);

}  // namespace dietmt::metrics
