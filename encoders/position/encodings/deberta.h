// Disentangled attention of DeBERTa (He et al. 2021, eq. 4), with one table of relative positions
// for all layers and projections of it in each:
//
//   score[h,i,j] = (q_i . k_j + q_i . K_r[d(i,j)] + k_j . Q_r[d(j,i)]) / sqrt(3 Dh)
//   K_r = P W_Kr,  Q_r = P W_Qr,  d(i,j) = clip(i - j + s, 0, 2s - 1)
#pragma once

#include "encoders/position/encoding_row.h"

namespace dietmt::encoders {

struct DebertaOptions {
  int64_t span = 512;  // s
};

class Deberta : public PositionEncoding {
 public:
  Deberta(const DebertaOptions& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;

 private:
  int64_t span_;
  int64_t heads_;
  int64_t head_width_;
  at::Tensor table_;             // P: [2s, D]
  at::Tensor key_projection_;    // W_Kr: [L, D, H Dh]
  at::Tensor query_projection_;  // W_Qr: [L, D, H Dh]; all initially N(0, 0.02^2)
};

EncodingRow deberta_row();

}  // namespace dietmt::encoders
