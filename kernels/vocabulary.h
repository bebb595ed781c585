// Decoding needs two things from the logits of the vocabulary: the normalizer of their softmax and
// the largest few. Neither takes a full sort, and no probabilities are written.
#pragma once

#include <cstdint>

namespace dietmt::kernels {

/// log softmax(logits)[i] = logits[i] - log_normalizer.
struct TokenSelection {
  int64_t rows = 0;
  int64_t size = 0;               // V
  const float* logits = nullptr;  // [rows, V], row r at r * stride
  int64_t stride = 0;
  /// Never selected, but counted in the normalizer. A short list: it is read for each candidate.
  const int32_t* forbidden = nullptr;
  int64_t forbidden_count = 0;
  int64_t count = 0;  // to be selected in each row

  /// [rows]: log-sum-exp of the logits; null: not wanted. NaN if a logit of the row is NaN or plus
  /// infinity; the row's selection then means nothing.
  float* log_normalizers = nullptr;
  /// [rows, count]: the largest logits, largest first, the smaller index first among equals. If
  /// there are fewer (the rest forbidden or minus infinity): index -1, value minus infinity.
  int32_t* indices = nullptr;
  float* values = nullptr;
};

/// One thread. No allocation. A row does not depend on the other rows.
void select_tokens(const TokenSelection& call);

}  // namespace dietmt::kernels
