// Untied positions (Ke et al. 2021, "Rethinking Positional Encoding in Language Pre-training",
// TUPE): positions have their own projections and meet words only in the sum,
//
//   score[h,i,j] = q_i . k_j / sqrt(2 Dh) + reset(u_i . w_j / sqrt(2 Dh) [+ b[h, j - i]])
//   u = LN(p) U^Q,  w = LN(p) U^K, split into heads
//
// TUPE-A has no b; TUPE-R adds it, T5's buckets in the authors' code. Untied from a summary token
// at position 0 (BERT's [CLS]), reset() replaces row 0 by theta_1 and the rest of column 0 by
// theta_2, themselves products of two more positions. With buckets, b is added outside the reset
// and has its own entry for each of the two; otherwise it is inside, as in the paper. All layers
// share everything. theta_1 shifts a whole row, which the softmax undoes; it is kept for
// compatibility with the authors' checkpoints.
#pragma once

#include <optional>

#include "encoders/position/encodings/t5.h"

namespace dietmt::encoders {

enum class SummaryPosition {
  kAuto,    // untied if the model has such a token
  kUntied,  // reset() as above
  kTied,    // no reset: position 0 is like any other
};

enum class TupeBias { kNone, kOffsets, kBuckets };

struct TupeOptions {
  SummaryPosition summary = SummaryPosition::kAuto;
  bool projection_bias = false;  // of U^Q and U^K, as in the authors' code
  TupeBias bias = TupeBias::kNone;
  int64_t buckets = T5Options().buckets;    // of kBuckets
  int64_t distance = T5Options().distance;  // of kBuckets
};

class Tupe : public PositionEncoding {
 public:
  Tupe(const TupeOptions& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;
  int64_t max_length() const override;

 private:
  bool untied() const { return summary_.defined(); }

  /// LN(rows) times both projections: two of [H, rows, Dh].
  std::pair<at::Tensor, at::Tensor> project(const at::Tensor& query_rows,
                                            const at::Tensor& key_rows) const;
  /// Row 0 and column 0 of [H, T, S] replaced by those of [H, 2].
  at::Tensor reset(const at::Tensor& bias, const at::Tensor& thetas, const Extent& extent) const;
  /// b of every pair: [H, T, S].
  at::Tensor relative_bias(const Extent& extent) const;

  TupeOptions options_;
  int64_t heads_;
  int64_t head_width_;
  bool one_directional_;
  at::Tensor positions_;         // p: [max_positions, D], initially N(0, 0.02^2)
  at::Tensor summary_;           // positions of theta_1, theta_2: [2, D], the same; only if untied
  at::Tensor norm_weight_;       // [D]
  at::Tensor norm_bias_;         // [D]
  at::Tensor query_projection_;  // U^Q: [D, H Dh], N(0, 0.02^2)
  at::Tensor key_projection_;    // U^K: [D, H Dh], the same
  at::Tensor query_bias_;        // [H Dh], zeros, or undefined
  at::Tensor key_bias_;          // [H Dh], zeros, or undefined
  at::Tensor relative_;          // b: [H, 2 max_positions - 1] or [H, buckets (+ 1 if untied)]
};

EncodingRow tupe_a_row();
EncodingRow tupe_r_row();

}  // namespace dietmt::encoders
