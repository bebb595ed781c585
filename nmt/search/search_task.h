// One sentence as a search sees it.
#pragma once

#include <cstdint>
#include <vector>

#include "data/text/tokenizer.h"
#include "nmt/search/search_options.h"
#include "nmt/search/translation_request.h"

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

  /// The only token allowed as number `step`, or -1.
  int32_t forced_token(int64_t step, const SpecialTokens& special) const;
  /// Whether a token that is not forced may be number `step`.
  bool allows(int32_t token, int64_t step, const SpecialTokens& special) const {
    if (token == special.unknown || token == special.begin) return false;
    return token != special.end || step >= min_length;
  }
};

/// `max_target_length`: tokens that the model can generate.
SearchTask search_task(const TranslationRequest& request, const SearchOptions& options,
                       int64_t max_target_length);

}  // namespace dietmt::nmt
