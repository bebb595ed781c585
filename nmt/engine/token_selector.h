// Between the logits of one model, or of an ensemble, and the search that reads them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nmt/engine/sentence_search.h"

namespace dietmt::nmt {

class TokenSelector {
 public:
  explicit TokenSelector(int64_t vocabulary) : vocabulary_(vocabulary) {}

  /// Looks at rows first .. first + rows - 1 of the logits of each model, for `search`: [.., V], or
  /// [.., tokens.size()] of these tokens alone, ascending, if there are any; no other has a chance.
  void begin(std::span<const float* const> logits, int64_t first, int64_t rows,
             std::span<const int32_t> tokens, const SentenceSearch& search);

  /// Of row first + `row`; valid until the next call. Throws DataError if logits are not finite.
  TokenScores scores(int64_t row);

 private:
  int64_t size() const;
  void choose(std::span<const int32_t> tokens);
  void select(int64_t rows, const SentenceSearch& search);
  const float* spread(const float* values);
  TokenScores averaged(int64_t row);

  const int64_t vocabulary_;
  std::vector<int32_t> tokens_;  // of the columns of logits; none: all
  std::vector<float> row_;       // [V]: what has no column is as low as can be
  std::span<const float* const> logits_;
  int64_t first_ = 0;
  int64_t wanted_ = 0;
  std::vector<float> normalizers_;    // [rows]
  std::vector<int32_t> best_tokens_;  // [rows, wanted]
  std::vector<float> best_logits_;
  std::vector<int32_t> forbidden_;
  std::vector<float> average_;  // of an ensemble
};

}  // namespace dietmt::nmt
