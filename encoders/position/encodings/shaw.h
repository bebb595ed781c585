// Relative vectors (Shaw et al. 2018, "Self-Attention with Relative Position Representations"):
//
//   score[h,i,j] = q_i . (k_j + a_K[o]) / sqrt(Dh),   o = clip(j - i, -C, C)
//   output[h,i]  = sum_j p[h,i,j] (v_j + a_V[o])      with values = true
//
// `tied` reads one table on both sides. Choose Shaw if the attention of a word to an offset should
// depend on the word; it costs more than a number per offset (diet_rel.h).
#pragma once

#include "encoders/position/encoding_row.h"

namespace dietmt::encoders {

struct ShawOptions {
  int64_t clip = 16;
  bool values = true;
  bool tied = false;
  Sharing sharing = Sharing::kHeads;
};

class Shaw : public PositionEncoding {
 public:
  Shaw(const ShawOptions& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;

 private:
  at::Tensor key_table_;    // a_K: [L|1, H|1, 2C+1, Dh], initially Xavier-uniform
  at::Tensor value_table_;  // a_V: the same shape, key_table_ itself if tied, or undefined
};

EncodingRow shaw_row();

}  // namespace dietmt::encoders
