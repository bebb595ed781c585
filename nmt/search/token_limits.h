// Tokens that may not follow a hypothesis: they would end a text to avoid, the model suppresses
// them, or they repeat an n-gram (Paulus et al. 2018, section 2.5); and those that follow with a
// lower score, since the hypothesis already has them (Keskar et al. 2019, section 4.1).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "nmt/search/avoided_texts.h"
#include "nmt/search/search_options.h"
#include "nmt/search/search_task.h"

namespace dietmt::nmt {

/// Tokens of a hypothesis that must not, or preferably should not, come next. Both lists are
/// ascending and have no token in common.
struct LimitedTokens {
  std::vector<int32_t> blocked;
  std::vector<int32_t> penalized;  // may follow, with a lower score

  bool blocks(int32_t token) const;
  bool penalizes(int32_t token) const;
};

class TokenLimits {
 public:
  /// `task`: what no translation contains, and what the model suppresses.
  TokenLimits(const SearchOptions& options, const SpecialTokens& special,
              const SearchTask& task = {});

  /// If false, after() never finds anything.
  bool any() const { return ngram_ > 0 || penalty_ != 1.0 || avoided_ || suppressed_; }

  /// For a hypothesis with these tokens, which include a prefix. Special tokens are not limited.
  LimitedTokens after(std::span<const int32_t> tokens) const;

  double penalty() const { return penalty_; }

  /// penalty * log p: like beam search in Hugging Face's transformers, it multiplies, since
  /// log-probabilities are negative. The probabilities are not renormalized.
  float penalized(float log_prob) const { return static_cast<float>(penalty_ * log_prob); }

 private:
  bool is_special(int32_t token) const;
  void block_repeated(std::span<const int32_t> tokens, std::vector<int32_t>& blocked) const;

  const int64_t ngram_;
  const double penalty_;
  const SpecialTokens special_;
  const std::shared_ptr<const AvoidedTexts> avoided_;
  const std::shared_ptr<const SuppressedTokens> suppressed_;
  const int64_t tags_;  // that name the language, at the start of a hypothesis
};

}  // namespace dietmt::nmt
