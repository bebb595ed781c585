// Diverse beam search (Vijayakumar et al. 2018, section 4): which candidates of a step go on. The
// beam is divided into groups, and each searches like a beam of its own. The groups choose one
// after another, and a token is worth less to a group for each hypothesis of the groups before it
// that has just chosen it (Hamming diversity). So the groups end up with different translations.
//
// The penalty decides who goes on. It does not enter the sums, so that the scores of all groups
// are log-probabilities of the model and can be compared. End of sentence costs nothing extra:
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

  /// Offers the best 2 * options.beam tokens of each hypothesis, which are in order. These are
  /// enough: at most options.beam of them get a penalty.
  void offer(const Candidate& candidate) { offers_.push_back(candidate); }

  /// The candidates of each group for Beam::advance_groups(): those that end, then those that stay
  /// open, each best first. The next step begins.
  std::span<const std::vector<Candidate>> choose(const Beam& beam);

 private:
  struct Ranked {
    double value;  // the sum less the penalty
    Candidate candidate;
  };

  void choose_group(std::span<const Candidate> offers, std::vector<Candidate>& chosen);
  double penalty(int32_t token) const;

  const int32_t end_;
  const size_t group_beam_;
  const double strength_;
  std::vector<Candidate> offers_;
  std::vector<Ranked> ranked_;   // of one group
  std::vector<int32_t> tokens_;  // of the groups before it, ascending
  std::vector<std::vector<Candidate>> chosen_;
};

}  // namespace dietmt::nmt
