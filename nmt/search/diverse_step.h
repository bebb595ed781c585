// Diverse beam search (Vijayakumar et al. 2018, section 4): selects a step's candidates. The beam
// is divided into groups that each search like a separate beam. The groups choose one after
// another, and a token is worth less for each hypothesis of an earlier group that has just chosen
// it (Hamming diversity), so that the groups find different translations.
//
// The penalty affects only the choice. It does not enter the sums, so that the scores of all groups
// are log-probabilities of the model and can be compared. End of sentence is not penalized;
// otherwise the groups would differ in length instead of words.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nmt/search/beam.h"
#include "nmt/search/search_options.h"
#include "nmt/search/search_task.h"

namespace dietmt::nmt {

class DiverseStep {
 public:
  DiverseStep(const SearchOptions& options, const SpecialTokens& special);

  /// Offers the best 2 * options.beam tokens of each hypothesis, in order. That is enough: at most
  /// options.beam of them are penalized.
  void offer(const Candidate& candidate) { offers_.push_back(candidate); }

  /// The candidates of each group for Beam::advance_groups(): those that end, then the open ones,
  /// each best first. Begins the next step.
  std::span<const std::vector<Candidate>> choose(const Beam& beam);

 private:
  struct Ranked {
    double value;  // the sum minus the penalty
    Candidate candidate;
  };

  void choose_group(std::span<const Candidate> offers, std::vector<Candidate>& chosen);
  double penalty(int32_t token) const;

  const int32_t end_;
  const size_t group_beam_;
  const double strength_;
  std::vector<Candidate> offers_;
  std::vector<Ranked> ranked_;   // of one group
  std::vector<int32_t> tokens_;  // of earlier groups, ascending
  std::vector<std::vector<Candidate>> chosen_;
};

}  // namespace dietmt::nmt
