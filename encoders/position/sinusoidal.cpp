#include "encoders/position/sinusoidal.h"

#include <torch/torch.h>

#include "common/error.h"

namespace dietmt::encoders {
namespace {

/// base^(-m / steps) for m = 0 .. count-1, in double.
at::Tensor frequencies(int64_t count, double steps) {
  return at::pow(10000.0, at::arange(count, at::kDouble) / -steps);
}

void require_even(const EncodingContext& context) {
  if (context.model_width % 2 != 0 || context.model_width < 4)
    throw ConfigError("sinusoids need an even model width of 4 or more, not " +
                      std::to_string(context.model_width));
}

/// The angles i w_m of positions 0 .. max(positions). [P, D/2]
at::Tensor angles(const at::Tensor& positions, const at::Tensor& frequencies) {
  const int64_t count = positions.numel() == 0 ? 0 : positions.max().item<int64_t>() + 1;
  return at::arange(count, frequencies.options()).unsqueeze(1) * frequencies;
}

/// sin and cos side by side, in pairs or in halves. [P, D]
at::Tensor table(const at::Tensor& angles, SinusoidLayout layout) {
  const int64_t dim = layout == SinusoidLayout::kInterleaved ? -1 : -2;
  return at::stack({angles.sin(), angles.cos()}, dim).flatten(-2);
}

}  // namespace

Sinusoidal::Sinusoidal(SinusoidLayout layout, const EncodingContext& context) : layout_(layout) {
  require_even(context);
}

at::Tensor Sinusoidal::embed(const at::Tensor& x, const at::Tensor& positions) const {
  const int64_t half = x.size(-1) / 2;
  const double steps =
      static_cast<double>(layout_ == SinusoidLayout::kInterleaved ? half : half - 1);
  const at::Tensor w = frequencies(half, steps).to(x.device());
  return x + table(angles(positions, w), layout_).to(x.scalar_type()).index_select(0, positions);
}

LearnableSinusoidal::LearnableSinusoidal(const EncodingContext& context) {
  require_even(context);
  const int64_t half = context.model_width / 2;
  frequencies_ = register_parameter("frequencies",
                                    frequencies(half, static_cast<double>(half)).to(at::kFloat));
}

at::Tensor LearnableSinusoidal::embed(const at::Tensor& x, const at::Tensor& positions) const {
  // bfloat16 cannot hold the angle of a distant position.
  const at::Tensor w =
      frequencies_.scalar_type() == at::kBFloat16 ? frequencies_.to(at::kFloat) : frequencies_;
  const at::Tensor rows = table(angles(positions, w), SinusoidLayout::kInterleaved);
  return x + rows.to(x.scalar_type()).index_select(0, positions);
}

}  // namespace dietmt::encoders
