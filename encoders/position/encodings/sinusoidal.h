// Sinusoids of the position, added to the embeddings: x_i + P[i].
//
// Fixed (Vaswani et al. 2017, section 3.5), no parameters:
//   interleaved  P[i,2m] = sin(i w_m), P[i,2m+1] = cos(i w_m),  w_m = 10000^(-2m/D)      the paper
//   halves       P[i] = [sin(i w_m) for all m, cos(i w_m) for all m],  w_m = 10000^(-m/(D/2-1))
//                tensor2tensor and fairseq
//   halves-2m    the same halves with the paper's w_m: Marian models converted for HuggingFace
// Learnable (Wang et al. 2021, "On Position Embeddings in BERT"): interleaved, and the D/2
// frequencies w_m are parameters that start from the fixed ones.
//
// Choose the fixed ones if inputs may be longer than in training.
#pragma once

#include "encoders/position/encoding_row.h"

namespace dietmt::encoders {

enum class SinusoidLayout { kInterleaved, kHalves, kHalves2m };

struct SinusoidalOptions {
  SinusoidLayout layout = SinusoidLayout::kInterleaved;
};

class Sinusoidal : public PositionEncoding {
 public:
  Sinusoidal(const SinusoidalOptions& options, const EncodingContext& context);
  at::Tensor embed(const at::Tensor& x, const at::Tensor& positions,
                   const at::Tensor& segments) const override;

 private:
  SinusoidLayout layout_;
};

class LearnableSinusoidal : public PositionEncoding {
 public:
  explicit LearnableSinusoidal(const EncodingContext& context);
  at::Tensor embed(const at::Tensor& x, const at::Tensor& positions,
                   const at::Tensor& segments) const override;

 private:
  at::Tensor frequencies_;  // [D/2]
};

EncodingRow sinusoidal_row();
EncodingRow learnable_sinusoidal_row();

}  // namespace dietmt::encoders
