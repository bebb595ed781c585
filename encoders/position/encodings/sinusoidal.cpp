#include "encoders/position/encodings/sinusoidal.h"

#include <ATen/ATen.h>

#include "common/error.h"
#include "encoders/position/sinusoid_table.h"

namespace dietmt::encoders {
namespace {

void require_even(const EncodingContext& context) {
  if (context.model_width % 2 != 0 || context.model_width < 4)
    throw ConfigError("sinusoids need an even model width of 4 or more, not " +
                      std::to_string(context.model_width));
}

/// 0 .. max(positions)
at::Tensor all_positions(const at::Tensor& positions) {
  const int64_t count = positions.numel() == 0 ? 0 : positions.max().item<int64_t>() + 1;
  return at::arange(count, positions.options());
}

}  // namespace

Sinusoidal::Sinusoidal(SinusoidLayout layout, const EncodingContext& context) : layout_(layout) {
  require_even(context);
}

at::Tensor Sinusoidal::embed(const at::Tensor& x, const at::Tensor& positions,
                             const at::Tensor&) const {
  const int64_t half = x.size(-1) / 2;
  const int64_t steps = layout_ == SinusoidLayout::kHalves ? half - 1 : half;
  const at::Tensor w = sinusoid_frequencies(half, static_cast<double>(steps)).to(x.device());
  const at::Tensor table = layout_ == SinusoidLayout::kInterleaved
                               ? interleaved_sinusoids(all_positions(positions), w)
                               : halved_sinusoids(all_positions(positions), w);
  return x + table.to(x.scalar_type()).index_select(0, positions);
}

LearnableSinusoidal::LearnableSinusoidal(const EncodingContext& context) {
  require_even(context);
  const int64_t half = context.model_width / 2;
  frequencies_ = register_parameter(
      "frequencies", sinusoid_frequencies(half, static_cast<double>(half)).to(at::kFloat));
}

at::Tensor LearnableSinusoidal::embed(const at::Tensor& x, const at::Tensor& positions,
                                      const at::Tensor&) const {
  const at::Tensor rows =
      interleaved_sinusoids(all_positions(positions), at_least_float(frequencies_));
  return x + rows.to(x.scalar_type()).index_select(0, positions);
}

}  // namespace dietmt::encoders
