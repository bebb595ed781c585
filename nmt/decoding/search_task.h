// One sentence as a search sees it, and the constraints on its next token.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "data/tokenizer.h"

namespace dietmt::nmt {

/// Token ids with a meaning to the search.
struct SpecialTokens {
  int32_t unknown = 0;  // never generated; -1: there is none
  int32_t begin = 1;    // never generated
  int32_t end = 2;

  static SpecialTokens of(const data::Tokenizer& tokenizer);
};

struct SearchTask {
  int64_t max_length = 0;       // tokens, end of sentence included, which is forced there
  int64_t min_length = 0;       // tokens before end of sentence may come
  std::vector<int32_t> prefix;  // the first tokens
  int64_t index = 0;            // of the sentence in its input: part of the key of sampling
};

/// Sets the log-probabilities [B * K, V] of token number `step` to minus infinity where `tasks` [B]
/// do not allow a token.
void constrain(at::Tensor& log_probs, std::span<const SearchTask* const> tasks, int64_t step,
               const SpecialTokens& special);

}  // namespace dietmt::nmt
