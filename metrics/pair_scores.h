// F1 of retrieved pairs, as the task BUCC scores sentences that a program found to be translations
// (Zweigenbaum et al. 2018).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dietmt::metrics {

/// The names of a source and of its target.
using NamedPair = std::pair<std::string, std::string>;

struct ScoredPair {
  NamedPair names;
  double score = 0.0;
};

struct PairScores {
  double f1 = 0.0;  // fractions of one
  double precision = 0.0;
  double recall = 0.0;
  double threshold = 0.0;  // pairs with this score or a higher one count
};

/// Scores of `pairs`, best first, each once, against all right ones. Without a threshold, the one
/// with the highest F1: halfway to the first score below it, as in XTREME. Throws Error if there
/// are no right pairs.
PairScores pair_scores(const std::vector<ScoredPair>& pairs, const std::vector<NamedPair>& gold,
                       std::optional<double> threshold = {});

}  // namespace dietmt::metrics
