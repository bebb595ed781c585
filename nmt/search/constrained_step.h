// Beam search whose translations contain given terms: selects a step's candidates (Post and Vilar
// 2018, section 3). Candidates are the best tokens of each hypothesis and the tokens that its unmet
// constraints want. Those with the same number of constraint tokens form a bank. The beam is
// divided among the banks, so that hypotheses that have paid for a term do not lose to others that
// have not met it yet.
//
// The paper gives each bank an equal part and the remainder to the bank with the most tokens. If
// there are fewer places than banks, that puts all terms at the beginning. Here the banks with the
// best hypotheses come first, and the one with the most tokens gets one place.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nmt/search/beam.h"
#include "nmt/search/constraint_trie.h"

namespace dietmt::nmt {

/// The candidates with the same number of constraint tokens.
struct Bank {
  size_t candidates = 0;
  double best = 0.0;  // the largest sum of log-probabilities, if it has candidates
};

/// How many of `beam` places each bank gets, at most as many as it has candidates: one for the last
/// bank with candidates, and the rest in turns, starting with the best bank.
std::vector<size_t> bank_sizes(std::span<const Bank> banks, size_t beam);

class ConstrainedStep {
 public:
  /// Keeps a reference to `trie`. Starts with one hypothesis without tokens.
  ConstrainedStep(const ConstraintTrie& trie, const SpecialTokens& special, int64_t beam);

  /// Constraint tokens that must be offered for a hypothesis in addition to its best ones,
  /// ascending.
  const std::vector<int32_t>& wanted(size_t row) const { return rows_[row].wanted; }

  /// Offers one of them with the model's log-probability: for a hypothesis all or none, before
  /// offer().
  void offer_wanted(const Candidate& candidate);

  /// Offers the best tokens of a hypothesis, best first. Ignores those of offer_wanted(). If the
  /// best one is end of sentence but constraints are unmet, only tokens that they want may follow:
  /// otherwise the model would continue with words that the source does not have.
  void offer(const Candidate& candidate);

  /// The candidates for Beam::advance(): those that end, then at most `beam` open ones, each best
  /// first. A translation can end if it meets all constraints; others end only at the length limit,
  /// if nothing else was offered and nothing better has ended. Begins the next step.
  const std::vector<Candidate>& choose();

 private:
  struct Row {  // a hypothesis
    ConstraintTrie::State state;
    std::vector<int32_t> wanted = {};
    bool has_wanted = false;   // they were offered
    bool has_best = false;     // its best token was offered
    bool only_wanted = false;  // only wanted tokens may follow
  };

  struct Offer {
    Candidate candidate;
    ConstraintTrie::State state;
    size_t bank;
  };

  void add(const Candidate& candidate);
  void add_end(const Candidate& candidate, bool is_best);
  std::vector<size_t> sizes() const;
  void choose_unfinished();
  void begin_step(std::span<const Offer> open);

  const ConstraintTrie& trie_;
  const int32_t end_;
  const size_t beam_;
  std::vector<Row> rows_;
  std::vector<Offer> offers_;      // that continue, or end and meet all constraints
  std::vector<Offer> unfinished_;  // that end too early
  std::vector<Candidate> chosen_;
  bool has_finished_ = false;
};

}  // namespace dietmt::nmt
