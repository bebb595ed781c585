// Minimum Bayes risk: of the candidates that a model gives for one sentence, the one with the
// highest expected utility (Kumar and Byrne 2004; of samples: Eikema and Aziz 2022),
//   u(i) = sum_j p(j) utility(candidate i, candidate j as the reference).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace dietmt::metrics {

/// Score of one sentence against another, in percent: chrF2, or BLEU with effective order.
enum class Utility { kChrf, kBleu };

/// "chrf", "bleu". Throws ConfigError naming them.
Utility utility_from_name(const std::string& name);

struct BayesRiskOptions {
  Utility utility = Utility::kChrf;
  /// Computes u(i) for so many candidates only, 0: for all. They are those with the highest utility
  /// against one reference that has the average n-gram counts of all (Vamvas and Sennrich 2024,
  /// "aggregate-to-fine"), in time linear in the number of candidates.
  int64_t exact = 0;
};

/// Candidates of a sentence.
struct WeightedCandidates {
  std::string source = {};  // only learned utilities read it
  std::vector<std::string> texts = {};
  std::vector<double> weights = {};  // p(j) of each text
  std::vector<size_t> first = {};    // only of distinct ones: the first candidate with each text
};

/// The different texts. `weights`: p(j), which sum to 1, or none if all are equal.
WeightedCandidates distinct_candidates(std::span<const std::string> candidates,
                                       std::span<const double> weights);

/// u(i) of each text of each sentence by a metric that reads the source too. One that reads no
/// reference gives its own score.
using LearnedUtility =
    std::function<std::vector<std::vector<double>>(std::span<const WeightedCandidates>)>;

/// u(i) of each text: `scores` has those of text i with each text j as the reference, i by i.
std::vector<double> expected_utilities(std::span<const double> weights,
                                       std::span<const double> scores);

struct RankedCandidate {
  size_t index = 0;      // of the first candidate with this text
  double utility = 0.0;  // u(i), or the estimate
};

/// Best first; equal ones in their order. `utilities`: u(i) of each text.
std::vector<RankedCandidate> ranked_candidates(const WeightedCandidates& candidates,
                                               std::span<const double> utilities);

/// The distinct candidates, best first; those with u(i) come before those with estimates, and equal
/// ones in their order. `weights` as in distinct_candidates().
std::vector<RankedCandidate> rank_by_bayes_risk(std::span<const std::string> candidates,
                                                std::span<const double> weights,
                                                const BayesRiskOptions& options);

}  // namespace dietmt::metrics
