// Turns the logits of one model, or of an ensemble, into the scores that a search reads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nmt/engine/sentence_search.h"

namespace dietmt::nmt {

class TokenSelector {
 public:
  explicit TokenSelector(int64_t vocabulary) : vocabulary_(vocabulary) {}

  /// Reads rows first .. first + rows - 1 of the logits of each model, for the rows of `search`
  /// from `search_row` on. They are [.., V], or [.., tokens.size()] if `tokens`, ascending, are the
  /// only ones allowed.
  void begin(std::span<const float* const> logits, int64_t first, int64_t rows,
             std::span<const int32_t> tokens, const SentenceSearch& search, int64_t search_row);

  /// The scores of row first + `row`, valid until the next call. Throws DataError if logits are not
  /// finite.
  TokenScores scores(int64_t row);

 private:
  int64_t size() const;
  void choose(std::span<const int32_t> tokens);
  void select(int64_t rows, const SentenceSearch& search, int64_t search_row);
  void forbid(std::span<const int32_t> forbidden);
  const float* spread(const float* values);
  TokenScores averaged(int64_t row);

  const int64_t vocabulary_;
  std::vector<int32_t> tokens_;  // of the columns of the logits; none: all
  std::vector<float> row_;       // [V]: a token without a column has the lowest value
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
