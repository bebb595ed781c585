#include "encoders/position/encodings/learned.h"

#include <ATen/ATen.h>

#include <cmath>

namespace dietmt::encoders {

Learned::Learned(const EncodingContext& context) {
  const double deviation = context.embedding_deviation.value_or(
      1.0 / std::sqrt(static_cast<double>(context.model_width)));
  table_ = register_parameter(
      "table", at::empty({context.max_positions, context.model_width}).normal_(0.0, deviation));
}

int64_t Learned::max_length() const { return table_.size(0); }

at::Tensor Learned::embed(const at::Tensor& x, const at::Tensor& positions,
                          const at::Tensor&) const {
  require_position("learned", positions.numel() == 0 ? -1 : positions.max().item<int64_t>());
  return x + table_.index_select(0, positions).to(x.scalar_type());
}

EncodingRow learned_row() {
  return {.name = "learned",
          .formula = "x_i + P[i], P learned",
          .level = EncodingLevel::kInput,
          .make = make_encoding<Learned>};
}

}  // namespace dietmt::encoders
