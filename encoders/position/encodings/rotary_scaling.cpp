#include "encoders/position/encodings/rotary_scaling.h"

#include <ATen/ATen.h>

#include <cmath>
#include <numbers>

#include "encoders/position/sinusoid_table.h"

namespace dietmt::encoders {
namespace {

/// Pairs that turn often keep their frequency, those that turn at most once are interpolated.
at::Tensor by_parts(const at::Tensor& w, const RotaryScaling& scaling, double most_turns) {
  const at::Tensor turns = w * (static_cast<double>(scaling.length) / (2 * std::numbers::pi));
  const at::Tensor kept = ((turns - 1) / (most_turns - 1)).clamp(0, 1);
  return kept * w + (1 - kept) * w / scaling.factor;
}

}  // namespace

at::Tensor rotary_frequencies(int64_t pairs, int64_t base, const RotaryScaling& scaling) {
  const auto count = static_cast<double>(pairs);
  const auto factor = static_cast<double>(scaling.factor);
  const auto powers = [&](double of) { return sinusoid_frequencies(pairs, count, of); };
  const at::Tensor w = powers(static_cast<double>(base));
  switch (scaling.method) {
    case RotaryScalingMethod::kYarn:
      return by_parts(w, scaling, 32);
    case RotaryScalingMethod::kLlama3:
      return by_parts(w, scaling, 4);
    case RotaryScalingMethod::kLinear:
      return w / factor;
    case RotaryScalingMethod::kNtk:  // a single pair is the fastest
      return pairs == 1 ? w
                        : powers(static_cast<double>(base) * std::pow(factor, count / (count - 1)));
  }
  return w;
}

double rotary_temperature(const RotaryScaling& scaling) {
  if (scaling.method != RotaryScalingMethod::kYarn) return 1.0;
  const double root = 0.1 * std::log(static_cast<double>(scaling.factor)) + 1.0;
  return root * root;
}

}  // namespace dietmt::encoders
