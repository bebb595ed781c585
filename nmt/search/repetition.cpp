#include "nmt/search/repetition.h"

#include <algorithm>

namespace dietmt::nmt {
namespace {

void sort_once(std::vector<int32_t>& tokens) {
  std::ranges::sort(tokens);
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
}

}  // namespace

bool RepeatedTokens::blocks(int32_t token) const {
  return std::ranges::binary_search(blocked, token);
}

bool RepeatedTokens::penalizes(int32_t token) const {
  return std::ranges::binary_search(penalized, token);
}

RepetitionLimits::RepetitionLimits(const SearchOptions& options, const SpecialTokens& special)
    : ngram_(options.no_repeat_ngram), penalty_(options.repetition_penalty), special_(special) {}

RepeatedTokens RepetitionLimits::repeated(std::span<const int32_t> tokens) const {
  RepeatedTokens repeated;
  const auto length = std::ssize(tokens);
  if (ngram_ > 0 && length >= ngram_) {
    const auto context = static_cast<size_t>(ngram_ - 1);
    const auto last = tokens.last(context);
    for (size_t i = context; i < tokens.size(); ++i) {
      if (!is_special(tokens[i]) && std::ranges::equal(tokens.subspan(i - context, context), last))
        repeated.blocked.push_back(tokens[i]);
    }
    sort_once(repeated.blocked);
  }
  if (penalty_ == 1.0) return repeated;
  for (const int32_t token : tokens) {
    if (!is_special(token) && !repeated.blocks(token)) repeated.penalized.push_back(token);
  }
  sort_once(repeated.penalized);
  return repeated;
}

bool RepetitionLimits::is_special(int32_t token) const {
  return token == special_.unknown || token == special_.begin || token == special_.end;
}

}  // namespace dietmt::nmt
