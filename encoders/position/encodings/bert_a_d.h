// BERT-A^d (Ke et al. 2021, the variant of section 3.1 with separate projections): words and
// positions have their own projections, and all four products are kept,
//
//   score[h,i,j] = (q_i + u_i) . (k_j + w_j) / sqrt(4 Dh),   u = p U^Q,  w = p U^K
//
// Nothing is added to the embeddings; all layers share p and its projections.
#pragma once

#include "encoders/position/encoding_row.h"

namespace dietmt::encoders {

class BertAD : public PositionEncoding {
 public:
  explicit BertAD(const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;
  int64_t max_length() const override;

 private:
  int64_t heads_;
  int64_t head_width_;
  at::Tensor positions_;         // p: [max_positions, D], initially N(0, 0.02^2)
  at::Tensor query_projection_;  // U^Q: [D, H Dh], the same
  at::Tensor key_projection_;    // U^K: [D, H Dh], the same
};

EncodingRow bert_a_d_row();

}  // namespace dietmt::encoders
