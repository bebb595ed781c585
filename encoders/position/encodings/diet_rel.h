// DIET-REL (Chen et al. 2021, "A Simple and Effective Positional Encoding for Transformers"): a
// learned number per head and offset, added to the scaled scores:
//
//   score[h,i,j] = q_i . k_j / sqrt(Dh) + R[h, j - i]
//
// (The paper's index is i - j; import flips checkpoints of that order.) Offsets beyond the table
// read its end entries. This is the cheapest relative encoding; choose it by default.
#pragma once

#include <optional>

#include "encoders/position/encoding_row.h"

namespace dietmt::encoders {

struct DietRelOptions {
  std::optional<int64_t> clip = {};  // none: max_positions - 1
  Sharing sharing = Sharing::kNone;
};

class DietRel : public PositionEncoding {
 public:
  DietRel(const DietRelOptions& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;

 private:
  at::Tensor table_;  // R: [L|1, H|1, 2C+1], initially N(0, 0.02^2)
};

EncodingRow diet_rel_row();

}  // namespace dietmt::encoders
