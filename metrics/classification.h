// Scores of predicted classes: accuracy (most tasks of GLUE and XTREME), F1 of one class (MRPC,
// QQP) and the Matthews correlation (CoLA).
//
//   accuracy(predicted, gold)
//
// Classes are any integers. Scores are fractions of one as scikit-learn gives them; papers print
// them in percent. Each function throws Error if the two sides differ in size or are empty.
#pragma once

#include <span>

namespace dietmt::metrics {

/// The share of examples whose class is right.
double accuracy(std::span<const int> predicted, std::span<const int> gold);

/// 2 tp / (2 tp + fp + fn) of the class `positive` against all others; 0 where neither side has it.
double f1_score(std::span<const int> predicted, std::span<const int> gold, int positive = 1);

/// The correlation of the indicator vectors of the classes, in [-1, 1] (Gorodkin 2004):
///   (c n - sum_k p_k g_k) / sqrt((n^2 - sum_k p_k^2) (n^2 - sum_k g_k^2))
/// c: right predictions, n: examples, p_k and g_k: how often k was predicted and is right. For two
/// classes this is Matthews' (1975). 0 where one side has a single class.
double matthews_correlation(std::span<const int> predicted, std::span<const int> gold);

}  // namespace dietmt::metrics
