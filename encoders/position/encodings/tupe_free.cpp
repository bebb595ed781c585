// TUPE's positions without a parametric form (Ke et al. 2021, section 5, "Failed attempts"): a free
// number for each head and pair of positions, shared by the layers,
//
//   score[h,i,j] = q_i . k_j / sqrt(2 Dh) + v[h,i,j]
//
// cls=untied resets v as TUPE does. By the paper it trains much more slowly than TUPE-A; it takes
// H N^2 parameters. To repeat that comparison.

#include <ATen/ATen.h>

#include <cmath>

#include "encoders/position/encodings/encoding_table.h"

namespace dietmt::encoders {
namespace {

class TupeFree : public PositionEncoding {
 public:
  explicit TupeFree(const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;
  int64_t max_length() const override { return table_.size(1); }

 private:
  double scale_;
  at::Tensor table_;  // v: [H, max_positions, max_positions], initially N(0, 0.02^2)
};

TupeFree::TupeFree(const EncodingContext& context)
    : scale_(1.0 / std::sqrt(2.0 * static_cast<double>(context.head_width))) {
  const int64_t positions = context.max_positions;
  table_ = register_parameter("table",
                              at::empty({context.heads, positions, positions}).normal_(0.0, 0.02));
}

void TupeFree::lower(const Extent& extent, LayerTerms& terms) const {
  require_position("tupe-free", reach(extent));
  terms.set_content_scale(scale_);
  terms.set(&ScoreTerms::position_bias,
            table_.narrow(1, 0, extent.queries).narrow(2, 0, extent.keys).unsqueeze(0));
}

double tupe_free_parameters(const OptionValues&, const EncodingContext& context) {
  const auto positions = static_cast<double>(context.max_positions);
  return static_cast<double>(context.heads) * positions * positions;
}

}  // namespace

EncodingRow tupe_free_row() {
  return {.name = "tupe-free",
          .formula = "q_i.k_j/sqrt(2Dh) + v[h,i,j]",
          .position_only = true,
          .parameters = tupe_free_parameters,
          .make = make_encoding<TupeFree>};
}

}  // namespace dietmt::encoders
