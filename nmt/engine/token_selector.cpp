#include "nmt/engine/token_selector.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/error.h"
#include "kernels/packed_linear.h"
#include "kernels/rowwise.h"

namespace dietmt::nmt {
namespace {

float finite(float normalizer) {
  if (!std::isfinite(normalizer)) throw DataError("the model's scores are not finite");
  return normalizer;
}

}  // namespace

int64_t TokenSelector::size() const {
  return tokens_.empty() ? vocabulary_ : static_cast<int64_t>(tokens_.size());
}

void TokenSelector::begin(std::span<const float* const> logits, int64_t first, int64_t rows,
                          std::span<const int32_t> tokens, const SentenceSearch& search,
                          int64_t search_row) {
  logits_ = logits;
  first_ = first;
  choose(tokens);
  if (logits.size() == 1) select(rows, search, search_row);  // an ensemble is averaged row by row
}

void TokenSelector::choose(std::span<const int32_t> tokens) {
  if (tokens_.empty() && tokens.empty()) return;
  // The lowest logit, or sum of probabilities.
  const float lowest = logits_.size() > 1 ? 0.0F : -std::numeric_limits<float>::infinity();
  row_.resize(static_cast<size_t>(vocabulary_), lowest);
  for (const int32_t token : tokens_) row_[static_cast<size_t>(token)] = lowest;
  tokens_.assign(tokens.begin(), tokens.end());
}

// Sets forbidden_ to the columns of these tokens.
void TokenSelector::forbid(std::span<const int32_t> forbidden) {
  if (tokens_.empty()) return forbidden_.assign(forbidden.begin(), forbidden.end());
  forbidden_.clear();
  for (const int32_t token : forbidden) {
    const auto found = std::ranges::lower_bound(tokens_, token);
    if (found != tokens_.end() && *found == token)
      forbidden_.push_back(static_cast<int32_t>(found - tokens_.begin()));
  }
}

void TokenSelector::select(int64_t rows, const SentenceSearch& search, int64_t search_row) {
  wanted_ = search.best_wanted();
  normalizers_.resize(static_cast<size_t>(rows));
  best_tokens_.resize(static_cast<size_t>(rows * wanted_));
  best_logits_.resize(best_tokens_.size());
  const int64_t together = search.forbids_by_row() ? 1 : rows;
  for (int64_t row = 0; row < rows; row += together) {
    forbid(search.forbidden(search_row + row));
    kernels::linear_kernels().select_tokens(
        {.rows = together,
         .size = size(),
         .logits = logits_.front() + (first_ + row) * size(),
         .stride = size(),
         .forbidden = forbidden_.data(),
         .forbidden_count = static_cast<int64_t>(forbidden_.size()),
         .count = wanted_,
         .log_normalizers = normalizers_.data() + row,
         .indices = best_tokens_.data() + row * wanted_,
         .values = best_logits_.data() + row * wanted_});
  }
  if (tokens_.empty()) return;
  for (int32_t& best : best_tokens_)
    if (best >= 0) best = tokens_[static_cast<size_t>(best)];
}

// Spreads the values of the columns over the vocabulary.
const float* TokenSelector::spread(const float* values) {
  if (tokens_.empty()) return values;
  for (const int32_t token : tokens_) row_[static_cast<size_t>(token)] = *values++;
  return row_.data();
}

TokenScores TokenSelector::scores(int64_t row) {
  if (logits_.size() > 1) return averaged(row);
  return {spread(logits_.front() + (first_ + row) * size()), vocabulary_,
          finite(normalizers_[static_cast<size_t>(row)]), false,
          std::span(best_tokens_)
              .subspan(static_cast<size_t>(row * wanted_), static_cast<size_t>(wanted_))};
}

TokenScores TokenSelector::averaged(int64_t row) {
  average_.assign(static_cast<size_t>(size()), 0.0F);
  for (const float* logits : logits_) {
    const float* own = logits + (first_ + row) * size();
    float normalizer = 0.0F;
    kernels::linear_kernels().select_tokens({.rows = 1,
                                             .size = size(),
                                             .logits = own,
                                             .stride = size(),
                                             .log_normalizers = &normalizer});
    kernels::row_kernels().add_probabilities(own, size(), finite(normalizer), average_.data());
  }
  return {
      spread(average_.data()), vocabulary_, std::log(static_cast<float>(logits_.size())), true, {}};
}

}  // namespace dietmt::nmt
