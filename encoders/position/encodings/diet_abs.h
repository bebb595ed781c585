// DIET-ABS (Chen et al. 2021, "A Simple and Effective Positional Encoding for Transformers"): a
// matrix of low rank over absolute positions for each head, added to the scaled scores:
//
//   score[h,i,j] = q_i . k_j / sqrt(Dh) + P_Q[h,i] . P_K[h,j]
//
// The product is not scaled. In cross-attention P_Q belongs to target and P_K to source positions.
// The paper gives no initial values. With a deviation of 0.02 the product would start at 1/50 of
// the size of TUPE's position term, so both start from N(0, 0.2/sqrt(R)), which gives the product a
// standard deviation of 0.2.
#pragma once

#include <optional>

#include "encoders/position/encoding_row.h"

namespace dietmt::encoders {

struct DietAbsOptions {
  std::optional<int64_t> rank = {};  // R; none: the head width
  Sharing sharing = Sharing::kNone;
};

class DietAbs : public PositionEncoding {
 public:
  DietAbs(const DietAbsOptions& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;
  int64_t max_length() const override;

 private:
  at::Tensor query_table_;  // P_Q: [L|1, H|1, max_positions, R]
  at::Tensor key_table_;    // P_K: [L|1, H|1, max_positions, R]
};

/// N(0, 0.2/sqrt(R)): [L|1, H|1, rows, R], R = rank or the head width.
at::Tensor diet_abs_table(const DietAbsOptions& options, const EncodingContext& context,
                          int64_t rows);

/// The values of options "rank" and "share", for encodings that add the same product.
DietAbsOptions diet_abs_options(const OptionValues& values);
EncodingOption rank_option();

EncodingRow diet_abs_row();

}  // namespace dietmt::encoders
