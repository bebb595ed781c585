// The hypotheses of one sentence in a beam search (nmt/batch_decoding/beam_search.h says which are
// kept), and the candidates for their next tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nmt/search/search_options.h"
#include "nmt/search/search_task.h"

namespace dietmt::nmt {

/// Hypothesis `beam` of a sentence, continued by `token`.
struct Candidate {
  double sum = 0.0;       // of the log-probabilities of the continued hypothesis
  float log_prob = 0.0F;  // of the token
  int32_t beam = 0;
  int32_t token = 0;

  /// Larger sums first; equal ones by beam, then token, so that a search is deterministic.
  bool before(const Candidate& other) const;
};

/// The best `count` candidates seen so far. Impossible ones (minus infinity) are never among them.
class Selection {
 public:
  explicit Selection(size_t count);

  void clear() { heap_.clear(); }
  /// Candidates with a sum below this are of no interest.
  double threshold() const;
  void offer(const Candidate& candidate);
  /// Best first; clear() before the next offer.
  const std::vector<Candidate>& sorted();

 private:
  size_t count_;
  std::vector<Candidate> heap_;  // with the worst in front
};

class Beam {
 public:
  /// All are kept by reference.
  Beam(const SearchTask& task, const SpecialTokens& special, const SearchOptions& options);

  const SearchTask& task() const { return task_; }

  /// Open hypotheses: one at first, then up to options.beam. `sums` are of their log-probabilities.
  size_t size() const { return sums_.size(); }
  const std::vector<double>& sums() const { return sums_; }

  /// Takes the best candidates of a step, best first. False if the sentence is finished.
  bool advance(std::span<const Candidate> candidates);

  /// Hypothesis k of the last step: its last token, and the hypothesis of the step before that it
  /// continues.
  int32_t token(size_t k) const { return nodes_[first_ + k].token; }
  int32_t parent(size_t k) const { return nodes_[first_ + k].parent; }

  /// The options.nbest best finished hypotheses.
  NBest result() &&;

 private:
  struct Node {
    int32_t token;
    int32_t parent;
    float log_prob;
  };

  Hypothesis hypothesis(const Candidate& last) const;
  bool cannot_improve(double best_sum);

  const SearchTask& task_;
  const SpecialTokens& special_;
  const SearchOptions& options_;
  std::vector<Node> nodes_;    // open hypotheses of all steps, end to end
  std::vector<size_t> steps_;  // where each step starts among them
  size_t first_ = 0;           // where the last one starts
  std::vector<double> sums_;
  NBest done_;
};

}  // namespace dietmt::nmt
