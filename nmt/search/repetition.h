// Limits repetition: blocks repeated n-grams (Paulus et al. 2018, section 2.5) and penalizes tokens
// that the hypothesis already has (Keskar et al. 2019, section 4.1). For models that loop.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nmt/search/search_options.h"
#include "nmt/search/search_task.h"

namespace dietmt::nmt {

/// Tokens of a hypothesis that must not, or preferably should not, come next. Both lists are
/// ascending and have no token in common.
struct RepeatedTokens {
  std::vector<int32_t> blocked;    // would repeat an n-gram
  std::vector<int32_t> penalized;  // may follow, with a lower score

  bool blocks(int32_t token) const;
  bool penalizes(int32_t token) const;
};

class RepetitionLimits {
 public:
  RepetitionLimits(const SearchOptions& options, const SpecialTokens& special);

  /// If false, repeated() never finds anything.
  bool any() const { return ngram_ > 0 || penalty_ != 1.0; }

  /// For a hypothesis with these tokens, which include a prefix. Special tokens are never repeated.
  RepeatedTokens repeated(std::span<const int32_t> tokens) const;

  double penalty() const { return penalty_; }

  /// penalty * log p: like beam search in Hugging Face's transformers, it multiplies, since
  /// log-probabilities are negative. The probabilities are not renormalized.
  float penalized(float log_prob) const { return static_cast<float>(penalty_ * log_prob); }

 private:
  bool is_special(int32_t token) const;

  const int64_t ngram_;
  const double penalty_;
  const SpecialTokens special_;
};

}  // namespace dietmt::nmt
