// Candidates for the next token of a sentence, and the partial selection of the best of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

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

}  // namespace dietmt::nmt
