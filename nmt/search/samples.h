// The samples of one sentence while they are drawn (nmt/batch_decoding/sampling.h).
#pragma once

#include <cstdint>
#include <vector>

#include "nmt/search/search_options.h"
#include "nmt/search/search_task.h"

namespace dietmt::nmt {

class Samples {
 public:
  /// Draws options.nbest samples. Keeps references to all arguments.
  Samples(const SearchTask& task, const SpecialTokens& special, const SearchOptions& options);

  bool ended(int64_t sample) const { return ended_[static_cast<size_t>(sample)]; }
  bool all_ended() const;

  /// The random number, in [0, 1), that chooses token number `step` of a sample.
  double uniform(int64_t sample, int64_t step) const;

  /// Does nothing if the sample has ended.
  void append(int64_t sample, int32_t token, float log_prob);

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
