// Scores that fall with the distance between words. ALiBi learns nothing, KERPLE two numbers per
// head:
//
//   alibi   q_i . k_j / sqrt(Dh) - 2^(-8 (h+1) / H) |i - j|        (Press et al. 2022)
//   kerple  q_i . k_j / sqrt(Dh) - r1[h] ln(1 + r2[h] |i - j|)     (Chi et al. 2022, logarithmic)
//
// If H is not a power of two, ALiBi takes the slopes of the next smaller power, then every second
// slope of twice that power. Choose either to run on longer inputs than in training.
#pragma once

#include "encoders/position/encoding_row.h"

namespace dietmt::encoders {

class Alibi : public PositionEncoding {
 public:
  explicit Alibi(const EncodingContext& context) : heads_(context.heads) {}
  void lower(const Extent& extent, LayerTerms& terms) const override;

 private:
  int64_t heads_;
};

/// ALiBi's slope of each head: [heads].
std::vector<double> alibi_slopes(int64_t heads);

struct KerpleOptions {
  Sharing sharing = Sharing::kLayers;
};

class Kerple : public PositionEncoding {
 public:
  Kerple(const KerpleOptions& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;

 private:
  at::Tensor height_;  // r1 = max(|height|, 0.01): [L|1, H|1], initially U(0, 2)
  at::Tensor width_;   // r2 = max(|width|, 0.01): [L|1, H|1], initially U(0, 1)
};

EncodingRow alibi_row();
EncodingRow kerple_row();

}  // namespace dietmt::encoders
