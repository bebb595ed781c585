// Segments, such as the two sentences of BERT's input, instead of or besides positions. For models
// whose input has segments.
//
//   segments        score[h,i,j] += E_S[h, segment_i, segment_j]   per-head segment attention (Chen
//                   et al. 2021); beside any encoding of the scores
//   input-segments  x_i + S[segment_i]                             BERT's (Devlin et al. 2019)
//
// The paper adds E_S when it fine-tunes a trained model, so E_S starts from zeros.
#pragma once

#include "encoders/position/encoding_row.h"

namespace dietmt::encoders {

struct SegmentBiasOptions {
  Sharing sharing = Sharing::kNone;
};

class SegmentBias : public PositionEncoding {
 public:
  SegmentBias(const SegmentBiasOptions& options, const EncodingContext& context);
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

EncodingRow input_segments_row();
EncodingRow segments_row();

}  // namespace dietmt::encoders
