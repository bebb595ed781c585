// Minimum error rate training (Och 2003): the weights under which the best translations of a
// validation set have the highest corpus score. Along a line w + x * d through the space of weights
// the score of each translation is a line in x, so the best translation of a sentence changes only
// at the corners of an upper envelope. The search knows all corners of all sentences and takes the
// best interval between two of them: no step size, and no point is missed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metrics/metric.h"

namespace dietmt::nmt {

/// The translations of one sentence. Neither list is empty, and both have one entry for each.
struct TuningSentence {
  std::vector<std::vector<double>> features;
  std::vector<std::vector<double>> statistics;  // of the metric: Metric::sentence_statistics()
};

struct TuningOptions {
  int64_t restarts = 8;  // from random weights in [-1, 1), besides the one from `start`
  uint64_t seed = 1;
};

struct TunedWeights {
  std::vector<double> weights;  // their absolute values sum to 1
  double score = 0.0;
};

/// The corpus score of the best translations under these weights.
double corpus_score(std::span<const TuningSentence> sentences, std::span<const double> weights,
                    const metrics::ScoreRule& rule);

/// Searches along the axes and as many random lines, and moves along the best line until none
/// improves the score. Returns the best weights of all starts, the earliest of equally good ones.
/// `sentences` is not empty.
TunedWeights tune_weights(std::span<const TuningSentence> sentences,
                          const std::vector<double>& start, const metrics::ScoreRule& rule,
                          const TuningOptions& options);

}  // namespace dietmt::nmt
