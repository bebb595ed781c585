// Relative positions of Transformer-XL (Dai et al. 2019, section 3.3), also those of XLNet:
//
//   score[h,i,j] = ((q_i + u[h]) . k_j + (q_i + v[h]) . W_R[h] r[i - j]) / sqrt(Dh)
//
// r[x] = [sin(x w_m) for all m, cos(x w_m) for all m], w_m = 10000^(-2m/D), is fixed, so there is
// no longest sentence. u and v serve all layers, W_R belongs to a layer.
#pragma once

#include "encoders/position/encoding_row.h"

namespace dietmt::encoders {

class TransformerXl : public PositionEncoding {
 public:
  explicit TransformerXl(const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;

 private:
  int64_t width_;
  int64_t heads_;
  int64_t head_width_;
  at::Tensor content_bias_;   // u: [H, Dh], initially N(0, 0.02^2)
  at::Tensor position_bias_;  // v: [H, Dh], the same
  at::Tensor projection_;     // W_R: [L, D, H Dh], the same
};

EncodingRow transformer_xl_row();

}  // namespace dietmt::encoders
