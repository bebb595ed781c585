// Scores that fall with the distance between words, with nothing or two numbers a head to learn:
//
//   alibi   q_i . k_j / sqrt(Dh) - 2^(-8 (h+1) / H) |i - j|        (Press et al. 2022)
//   kerple  q_i . k_j / sqrt(Dh) - r1[h] ln(1 + r2[h] |i - j|)     (Chi et al. 2022, logarithmic)
//
// Where H is no power of two, ALiBi's slopes are those of the next smaller power, then every second
// one of twice that power. Choose them to run on longer inputs than those of the training.
#pragma once

#include "encoders/position/position_encoding.h"
#include "encoders/position/shared_table.h"

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

class Kerple : public PositionEncoding {
 public:
  Kerple(Sharing sharing, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;

 private:
  at::Tensor height_;  // r1: [L|1, H|1], initially U(0, 2); at least 0.01 where used
  at::Tensor width_;   // r2: [L|1, H|1], initially U(0, 1); at least 0.01 where used
};

}  // namespace dietmt::encoders
