// CoPE (Golovneva et al. 2024, "Contextual Position Encoding"): positions count only the words that
// a query cares about,
//
//   g_ij = sigmoid(q_i . k_j / sqrt(Dh)),   c_ij = min(g_ij + .. + g_ii, P - 1)
//   score[h,i,j] = q_i . k_j / sqrt(Dh) + q_i . e[c_ij],   e interpolated between whole numbers
//
// For causal attention. It needs all scores of a row before any probability, so the fused kernels
// cannot run it. Choose it for experiments.
#pragma once

#include "encoders/position/encoding_row.h"

namespace dietmt::encoders {

struct CopeOptions {
  int64_t positions = 64;  // P
  Sharing sharing = Sharing::kHeads;
};

class Cope : public PositionEncoding {
 public:
  Cope(const CopeOptions& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;

 private:
  at::Tensor table_;  // e: [L|1, H|1, P, Dh], zeros at the start
};

EncodingRow cope_row();

}  // namespace dietmt::encoders
