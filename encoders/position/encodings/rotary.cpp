#include "encoders/position/encodings/rotary.h"

#include <ATen/ATen.h>

#include "common/error.h"
#include "encoders/position/sinusoid_table.h"

namespace dietmt::encoders {

Rotary::Rotary(const RotaryOptions& options, const EncodingContext& context)
    : options_(options), head_width_(context.head_width) {
  if (head_width_ % 2 != 0)
    throw ConfigError("rotations need an even head width, not " + std::to_string(head_width_));
}

void Rotary::lower(const Extent& extent, LayerTerms& terms) const {
  const int64_t pairs = head_width_ / 2;
  const at::Tensor w =
      sinusoid_frequencies(pairs, static_cast<double>(pairs), static_cast<double>(options_.base));
  const at::Tensor positions =
      at::arange(extent.query_start, extent.query_start + extent.queries, at::kDouble).unsqueeze(1);
  const at::Tensor angles = positions * w;  // [T, Dh/2]
  at::Tensor growth = at::ones_like(angles);
  if (options_.scale) {
    const double width = static_cast<double>(head_width_);
    const at::Tensor zeta = (2 * at::arange(pairs, at::kDouble) + 0.4 * width) / (1.4 * width);
    growth = at::pow(zeta, positions / static_cast<double>(*options_.scale));
  }
  const auto set = [&](at::Tensor ScoreTerms::*field, const at::Tensor& table) {
    terms.set(field, table.to(terms.options()).unsqueeze(0).unsqueeze(0));
  };
  set(&ScoreTerms::query_cosines, angles.cos() * growth);
  set(&ScoreTerms::query_sines, angles.sin() * growth);
  set(&ScoreTerms::key_cosines, angles.cos() / growth);
  set(&ScoreTerms::key_sines, angles.sin() / growth);
  terms.set_pairing(options_.pairing);
}

}  // namespace dietmt::encoders
