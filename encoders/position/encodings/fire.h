// FIRE (Li et al. 2024, "Functional Interpolation for Relative Positions Improves Long Context
// Transformers"): a small network of the distance, relative to the query's own position:
//
//   score[h,i,j] = q_i . k_j / sqrt(Dh) + f_h(u_ij)
//   u_ij = ln(c |i - j| + 1) / ln(c max(i, L) + 1),   f: 1 -> hidden -> H with ReLU between
//
// c and the threshold L are learned. L is the initial threshold times a learned factor: an
// optimiser that moves parameters by about the learning rate would never move a parameter of 512.
#pragma once

#include "encoders/position/encoding_row.h"

namespace dietmt::encoders {

enum class FireSharing { kNone, kLayers };

struct FireOptions {
  int64_t hidden = 32;
  int64_t threshold = 512;  // L at the start
  FireSharing sharing = FireSharing::kLayers;
};

class Fire : public PositionEncoding {
 public:
  Fire(const FireOptions& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;

 private:
  double initial_threshold_;
  at::Tensor log_scale_;         // c = |log_scale|, at least 1e-6: [L|1], initially 0.1
  at::Tensor threshold_factor_;  // L / initial threshold, likewise: [L|1], initially 1
  at::Tensor hidden_weight_;     // [L|1, hidden], with its bias as a linear layer of one input
  at::Tensor hidden_bias_;       // [L|1, hidden]
  at::Tensor head_weight_;       // [L|1, hidden, H], likewise
  at::Tensor head_bias_;         // [L|1, H]
};

EncodingRow fire_row();

}  // namespace dietmt::encoders
