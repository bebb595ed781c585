// A learned vector per position, added to the embeddings: x_i + P[i] (Gehring et al. 2017; BERT).
// Inputs longer than max_positions are refused because the table has no row for them.
#pragma once

#include "encoders/position/encoding_row.h"

namespace dietmt::encoders {

class Learned : public PositionEncoding {
 public:
  explicit Learned(const EncodingContext& context);
  at::Tensor embed(const at::Tensor& x, const at::Tensor& positions,
                   const at::Tensor& segments) const override;
  int64_t max_length() const override;

 private:
  at::Tensor table_;  // [max_positions, D], initially N(0, 1/D), or as the context says
};

EncodingRow learned_row();

}  // namespace dietmt::encoders
