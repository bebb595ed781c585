// Statistics of a few measurements: the scores of a model's runs with several seeds, or of several
// models. Means and deviations are printed in tables; the tests say whether a difference or a
// correlation can be told from chance.
//
//   welch_p(scores, baseline)          do two models differ? (Welch 1947, two-sided)
//   correlation_p(pearson(x, y), n)    is a correlation over n models chance?
//
// Both tests are SciPy's: ttest_ind(equal_var=False), pearsonr and spearmanr.
#pragma once

#include <cstddef>
#include <span>

namespace dietmt::metrics {

/// NaN if there are no values.
double mean_of(std::span<const double> values);

/// The mean of those that are not NaN.
double mean_of_defined(std::span<const double> values);

/// The sample standard deviation, which divides by n - 1. NaN for fewer than two values.
double deviation_of(std::span<const double> values);

/// Two-sided p-value of the means of `a` and `b` by Welch's t-test, which does not assume equal
/// variances. NaN if a side has fewer than two values, or if both are constant and equal; 0 if both
/// are constant and differ.
double welch_p(std::span<const double> a, std::span<const double> b);

/// Two-sided p-value of a correlation r of n pairs: t = r sqrt((n - 2) / (1 - r^2)) with n - 2
/// degrees of freedom. Exact for Pearson's r of normal values, an approximation for Spearman's rho.
/// NaN for fewer than three pairs and if r is NaN.
double correlation_p(double r, size_t pairs);

}  // namespace dietmt::metrics
