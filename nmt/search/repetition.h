// Limits on what a hypothesis says twice: no n-gram again (Paulus et al. 2018, section 2.5) and a
// penalty on tokens that it already has (Keskar et al. 2019, section 4.1). Use them for models that
// loop.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nmt/search/search_options.h"
#include "nmt/search/search_task.h"

namespace dietmt::nmt {

/// Tokens that a hypothesis has and that may not, or should rather not, come next. Both lists are
/// ascending, and no token is in both or in one of them twice.
struct RepeatedTokens {
  std::vector<int32_t> blocked;    // would repeat an n-gram
  std::vector<int32_t> penalized;  // may follow, with a lower score

  bool blocks(int32_t token) const;
  bool penalizes(int32_t token) const;
};

class RepetitionLimits {
 public:
  RepetitionLimits(const SearchOptions& options, const SpecialTokens& special);

  /// If not, repeated() never finds anything.
  bool any() const { return ngram_ > 0 || penalty_ != 1.0; }

  /// Of a hypothesis with these tokens, which include those of a prefix. Special tokens are never
  /// among them.
  RepeatedTokens repeated(std::span<const int32_t> tokens) const;

  double penalty() const { return penalty_; }

  /// penalty * log p: as beam search of Hugging Face's transformers does, it multiplies, because
  /// log-probabilities are negative. The probabilities are not normalized again.
  float penalized(float log_prob) const { return static_cast<float>(penalty_ * log_prob); }

 private:
  bool is_special(int32_t token) const;

  const int64_t ngram_;
  const double penalty_;
  const SpecialTokens special_;
};

}  // namespace dietmt::nmt
