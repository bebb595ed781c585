// Segments (the two sentences of BERT's input, say) instead of or besides positions. For models
// whose input has segments.
//
//   segments        score[h,i,j] += E_S[h, segment_i, segment_j]   per-head segment attention (Chen
//                   et al. 2021); beside any encoding of the scores
//   input-segments  x_i + S[segment_i]                             BERT's (Devlin et al. 2019)
//
// The paper brings E_S in when a trained model is tuned, so it starts from zeros.
#pragma once

#include "encoders/position/position_encoding.h"
#include "encoders/position/shared_table.h"

namespace dietmt::encoders {

class SegmentBias : public PositionEncoding {
 public:
  SegmentBias(Sharing sharing, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;

 private:
  at::Tensor table_;  // E_S: [L|1, H|1, G, G], zeros at the start
};

class InputSegments : public PositionEncoding {
 public:
  explicit InputSegments(const EncodingContext& context);
  at::Tensor embed(const at::Tensor& x, const at::Tensor& positions,
                   const at::Tensor& segments) const override;

 private:
  at::Tensor table_;  // S: [G, D], initially N(0, 0.02^2)
};

}  // namespace dietmt::encoders
