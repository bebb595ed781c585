// Relative vectors that are sinusoids of the offset, on the key and on the value side, the same in
// all layers and heads (formulas of shaw.h):
//
//   a[o] = sinusoid(o)        origin = center
//   a[o] = sinusoid(o + C)    origin = left: NEZHA (Wei et al. 2019)
//
// with w_m = 10000^(-2m/Dh), interleaved. With learned = true the Dh/2 frequencies are parameters
// (Wang et al. 2021, "On Position Embeddings in BERT"). Together with "learned" or
// "learnable-sinusoidal" they give that paper's combinations of absolute and relative encodings.
#pragma once

#include "encoders/position/encoding_row.h"

namespace dietmt::encoders {

enum class OffsetOrigin { kCenter, kLeft };

struct RelativeSinusoidalOptions {
  int64_t clip = 64;
  bool values = true;
  bool learned = false;
  OffsetOrigin origin = OffsetOrigin::kCenter;
};

class RelativeSinusoidal : public PositionEncoding {
 public:
  RelativeSinusoidal(const RelativeSinusoidalOptions& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;

 private:
  RelativeSinusoidalOptions options_;
  int64_t head_width_;
  at::Tensor frequencies_;  // [Dh/2], undefined where fixed
};

EncodingRow relative_sinusoidal_row();

}  // namespace dietmt::encoders
