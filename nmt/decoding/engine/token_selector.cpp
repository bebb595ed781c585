#include "nmt/decoding/engine/token_selector.h"

#include <cmath>

#include "common/error.h"
#include "kernels/inference_rows.h"
#include "kernels/vocabulary.h"

namespace dietmt::nmt {
namespace {

float finite(float normalizer) {
  if (!std::isfinite(normalizer)) throw DataError("the model's scores are not finite");
  return normalizer;
}

}  // namespace

void TokenSelector::begin(std::span<const float* const> logits, int64_t first, int64_t rows,
                          const SentenceSearch& search) {
  logits_ = logits;
  first_ = first;
  if (logits.size() > 1) return;  // an ensemble is averaged row by row
  wanted_ = search.best_wanted();
  normalizers_.resize(static_cast<size_t>(rows));
  best_tokens_.resize(static_cast<size_t>(rows * wanted_));
  best_logits_.resize(best_tokens_.size());
  kernels::select_tokens({.rows = rows,
                          .size = vocabulary_,
                          .logits = logits.front() + first * vocabulary_,
                          .stride = vocabulary_,
                          .forbidden = search.forbidden().data(),
                          .forbidden_count = static_cast<int64_t>(search.forbidden().size()),
                          .count = wanted_,
                          .log_normalizers = normalizers_.data(),
                          .indices = best_tokens_.data(),
                          .values = best_logits_.data()});
}

TokenScores TokenSelector::scores(int64_t row) {
  if (logits_.size() > 1) return averaged(row);
  return {logits_.front() + (first_ + row) * vocabulary_, vocabulary_,
          finite(normalizers_[static_cast<size_t>(row)]), false,
          std::span(best_tokens_)
              .subspan(static_cast<size_t>(row * wanted_), static_cast<size_t>(wanted_))};
}

TokenScores TokenSelector::averaged(int64_t row) {
  average_.assign(static_cast<size_t>(vocabulary_), 0.0F);
  for (const float* logits : logits_) {
    const float* own = logits + (first_ + row) * vocabulary_;
    float normalizer = 0.0F;
    kernels::select_tokens({.rows = 1,
                            .size = vocabulary_,
                            .logits = own,
                            .stride = vocabulary_,
                            .log_normalizers = &normalizer});
    kernels::add_probabilities(own, vocabulary_, finite(normalizer), average_.data());
  }
  return {average_.data(), vocabulary_, std::log(static_cast<float>(logits_.size())), true, {}};
}

}  // namespace dietmt::nmt
