#include "nmt/search/token_limits.h"

#include <algorithm>

namespace dietmt::nmt {
namespace {

void sort_once(std::vector<int32_t>& tokens) {
  std::ranges::sort(tokens);
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
}

}  // namespace

bool LimitedTokens::blocks(int32_t token) const {
  return std::ranges::binary_search(blocked, token);
}

bool LimitedTokens::penalizes(int32_t token) const {
  return std::ranges::binary_search(penalized, token);
}

TokenLimits::TokenLimits(const SearchOptions& options, const SpecialTokens& special,
                         const SearchTask& task)
    : ngram_(options.no_repeat_ngram),
      penalty_(options.repetition_penalty),
      special_(special),
      avoided_(task.avoided),
      suppressed_(task.suppressed),
      tags_(task.unscored) {}

LimitedTokens TokenLimits::after(std::span<const int32_t> tokens) const {
  LimitedTokens limited;
  block_repeated(tokens, limited.blocked);
  if (avoided_) avoided_->add_ends(tokens, limited.blocked);
  if (suppressed_) suppressed_->add_ends(tokens, tags_, limited.blocked);
  sort_once(limited.blocked);
  if (penalty_ == 1.0) return limited;
  for (const int32_t token : tokens) {
    if (!is_special(token) && !limited.blocks(token)) limited.penalized.push_back(token);
  }
  sort_once(limited.penalized);
  return limited;
}

void TokenLimits::block_repeated(std::span<const int32_t> tokens,
                                 std::vector<int32_t>& blocked) const {
  if (ngram_ == 0 || std::ssize(tokens) < ngram_) return;
  const auto context = static_cast<size_t>(ngram_ - 1);
  const auto last = tokens.last(context);
  for (size_t i = context; i < tokens.size(); ++i) {
    if (!is_special(tokens[i]) && std::ranges::equal(tokens.subspan(i - context, context), last))
      blocked.push_back(tokens[i]);
  }
}

bool TokenLimits::is_special(int32_t token) const {
  return token == special_.unknown || token == special_.begin || token == special_.end;
}

}  // namespace dietmt::nmt
