// Scores of GLUE and XTREME. Of predicted classes: accuracy (most tasks), F1 of one class (MRPC,
// QQP) and the Matthews correlation (CoLA). Of predicted numbers: correlations (STS-B).
//
//   accuracy(predicted, gold)
//
// Classes are any integers. Scores are fractions of one as scikit-learn gives them; papers print
// them in percent. Each function throws Error if the two sides differ in size or are empty, a
// correlation also for a single value.
#pragma once

#include <span>

namespace dietmt::metrics {

/// The share of examples whose class is right.
double accuracy(std::span<const int> predicted, std::span<const int> gold);

/// 2 tp / (2 tp + fp + fn) of the class `positive` against all others; 0 if neither side has it.
double f1_score(std::span<const int> predicted, std::span<const int> gold, int positive = 1);

/// The correlation of the indicator vectors of the classes, in [-1, 1] (Gorodkin 2004):
///   (c n - sum_k p_k g_k) / sqrt((n^2 - sum_k p_k^2) (n^2 - sum_k g_k^2))
/// c: right predictions, n: examples, p_k and g_k: how often k was predicted and is right. For two
/// classes this is Matthews' (1975). 0 if one side has a single class.
double matthews_correlation(std::span<const int> predicted, std::span<const int> gold);

// Correlations are in [-1, 1], and the same with the sides exchanged. NaN, as in SciPy, if a
// correlation is not defined: a side is constant, up to a millionth of its values, or holds a NaN.

/// Pearson's r: the covariance divided by both standard deviations. NaN for infinite values too.
double pearson(std::span<const double> x, std::span<const double> y);

/// Spearman's rho: Pearson's r of the ranks. Equal values share the average of their ranks.
double spearman(std::span<const double> x, std::span<const double> y);

}  // namespace dietmt::metrics
