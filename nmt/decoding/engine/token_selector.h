// Between the logits of one model, or of an ensemble, and the search that reads them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nmt/decoding/engine/sentence_search.h"

namespace dietmt::nmt {

class TokenSelector {
 public:
  explicit TokenSelector(int64_t vocabulary) : vocabulary_(vocabulary) {}

  /// Looks at rows first .. first + rows - 1 of the logits of each model, [.., V], for `search`.
  void begin(std::span<const float* const> logits, int64_t first, int64_t rows,
             const SentenceSearch& search);

  /// Of row first + `row`; valid until the next call. Throws DataError if logits are not finite.
  TokenScores scores(int64_t row);

 private:
  TokenScores averaged(int64_t row);

  const int64_t vocabulary_;
  std::span<const float* const> logits_;
  int64_t first_ = 0;
  int64_t wanted_ = 0;
  std::vector<float> normalizers_;    // [rows]
  std::vector<int32_t> best_tokens_;  // [rows, wanted]
  std::vector<float> best_logits_;
  std::vector<float> average_;  // [V], of an ensemble
};

}  // namespace dietmt::nmt
