#include "encoders/position/learned.h"

#include <torch/torch.h>

#include <cmath>

#include "common/error.h"

namespace dietmt::encoders {

Learned::Learned(const EncodingContext& context) {
  const double deviation = 1.0 / std::sqrt(static_cast<double>(context.model_width));
  table_ = register_parameter(
      "table", at::empty({context.max_positions, context.model_width}).normal_(0.0, deviation));
}

int64_t Learned::max_length() const { return table_.size(0); }

at::Tensor Learned::embed(const at::Tensor& x, const at::Tensor& positions) const {
  const int64_t last = positions.numel() == 0 ? 0 : positions.max().item<int64_t>();
  if (last >= max_length())
    throw Error("position encoding 'learned' has no position " + std::to_string(last) +
                ": it was built for sentences of up to " + std::to_string(max_length()) +
                " tokens");
  return x + table_.index_select(0, positions).to(x.scalar_type());
}

}  // namespace dietmt::encoders
