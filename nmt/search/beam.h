// The hypotheses of one sentence during a search: those of beam search, with the candidates for
// their next tokens (nmt/tensor_decoding/host_searches.h), and those of sampling (sampling.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nmt/search/search_options.h"
#include "nmt/search/search_task.h"

namespace dietmt::nmt {

/// Hypothesis `beam` of a sentence, extended with `token`.
struct Candidate {
  double sum = 0.0;       // log-probability of the extended hypothesis
  float log_prob = 0.0F;  // of the token
  int32_t beam = 0;
  int32_t token = 0;

  /// Orders by descending sum, then by beam and token, so that a search is deterministic.
  bool before(const Candidate& other) const;
};
inline constexpr auto kBestFirst = [](const Candidate& a, const Candidate& b) {
  return a.before(b);
};

/// Keeps the best `count` candidates so far, excluding impossible ones (minus infinity).
class Selection {
 public:
  explicit Selection(size_t count);

  void clear() { heap_.clear(); }
  /// Candidates with a lower sum need not be offered.
  double threshold() const;
  void offer(const Candidate& candidate);
  /// Best first; call clear() before the next offer.
  const std::vector<Candidate>& sorted();

 private:
  size_t count_;
  std::vector<Candidate> heap_;  // the worst is in front
};

/// A hypothesis's score: its sum of log-probabilities divided by the length penalty. With alpha =
/// options.length_penalty: length^alpha, or ((5 + length) / 6)^alpha (Wu et al. 2016, eq. 14).
/// `length` includes end of sentence.
double length_normalized(double sum, int64_t length, const SearchOptions& options);

class Beam {
 public:
  /// Keeps references to all of them.
  Beam(const SearchTask& task, const SpecialTokens& special, const SearchOptions& options);

  const SearchTask& task() const { return task_; }

  /// Open hypotheses (one at first, then up to options.beam) and their sums of log-probabilities.
  /// With groups (nmt/search/diverse_step.h) each starts with one, and the hypotheses are ordered
  /// by group.
  size_t size() const { return sums_.size(); }
  const std::vector<double>& sums() const { return sums_; }

  /// The open hypotheses of a group; none if it is finished.
  size_t groups() const { return groups_.size(); }
  size_t group_size(size_t group) const { return groups_[group].open; }

  /// Takes the candidates of a step, best first, or those from ConstrainedStep::choose(). Returns
  /// false if the sentence is finished.
  bool advance(std::span<const Candidate> candidates);
  /// Likewise for all groups, with the candidates from DiverseStep::choose().
  bool advance_groups(std::span<const std::vector<Candidate>> candidates);

  /// The last token of hypothesis k, and the hypothesis of the previous step that it extends.
  int32_t token(size_t k) const { return nodes_[first_ + k].token; }
  int32_t parent(size_t k) const { return nodes_[first_ + k].parent; }

  /// All tokens of hypothesis k.
  void read_tokens(size_t k, std::vector<int32_t>& tokens) const;

  /// The options.nbest best finished hypotheses of all groups, without duplicates. With a coverage
  /// penalty all of them, since it may change their order. Throws DataError if there is none
  /// because the model's scores were not finite.
  NBest result() &&;

 private:
  struct Node {
    int32_t token;
    int32_t parent;
    float log_prob;
  };

  struct Group {
    size_t open = 1;
    NBest done = {};
  };

  bool is_unscored(int64_t step) const { return step < task_.unscored; }
  size_t begin_step(std::span<const Candidate> candidates);
  void extend(Group& group, std::span<const Candidate> candidates);
  bool end_step(size_t first);
  Hypothesis hypothesis(const Candidate& last) const;
  bool cannot_improve(NBest& done, double best_sum) const;

  const SearchTask& task_;
  const SpecialTokens& special_;
  const SearchOptions& options_;
  const size_t finished_to_end_;  // per group
  const size_t wanted_;           // of these
  std::vector<Node> nodes_;       // open hypotheses of all steps, concatenated
  std::vector<size_t> steps_;     // where each step starts in nodes_
  size_t first_ = 0;              // where the last step starts
  std::vector<double> sums_;
  double unscored_ = 0.0;      // log-probability of SearchTask::unscored, the same in all
  std::vector<Group> groups_;  // one unless the search is diverse
};

class Samples {
 public:
  /// Draws options.nbest samples. Keeps references to all arguments.
  Samples(const SearchTask& task, const SpecialTokens& special, const SearchOptions& options);

  bool ended(int64_t sample) const { return ended_[static_cast<size_t>(sample)]; }
  bool all_ended() const;

  const std::vector<int32_t>& tokens(int64_t sample) const {
    return hypotheses_[static_cast<size_t>(sample)].ids;
  }

  /// The random number in [0, 1) that selects token number `step` of a sample.
  double uniform(int64_t sample, int64_t step) const;

  /// `row`: of the search. Does nothing if the sample has ended.
  void append(int64_t sample, int32_t token, float log_prob, int32_t row = 0);

  /// Best score first.
  NBest ranked() &&;

 private:
  const SearchTask& task_;
  const SpecialTokens& special_;
  const SearchOptions& options_;
  NBest hypotheses_;
  std::vector<bool> ended_;
};

}  // namespace dietmt::nmt
