// Activations of vectors; NaN stays NaN. For sources compiled once for each instruction set.
#pragma once

#include "kernels/cpu/vector.h"
#include "kernels/packed_linear.h"

namespace dietmt::kernels::DIETMT_ISA {

/// erf(x) of |x|, absolute error below 5e-7 (Abramowitz and Stegun 1964, 7.1.26).
inline Vector error_function_of_magnitude(Vector x) {
  const Vector t = 1.0f / (x * 0.3275911f + 1.0f);
  Vector p = t * 1.061405429f - 1.453152027f;
  p = p * t + 1.421413741f;
  p = p * t - 0.284496736f;
  p = p * t + 0.254829592f;
  return 1.0f - p * t * exponential(-(x * x));
}

template <LinearActivation kActivation>
inline Vector activate(Vector x) {
  if constexpr (kActivation == LinearActivation::kRelu) {
    return x < 0.0f ? Vector{} : x;
  } else if constexpr (kActivation == LinearActivation::kGelu) {  // x Phi(x)
    const Vector magnitude = x < 0.0f ? -x : x;
    const Vector erf = error_function_of_magnitude(magnitude * 0.707106781f);
    return (x + magnitude * erf) * 0.5f;
  } else if constexpr (kActivation == LinearActivation::kSilu) {
    const Vector minus = x < -88.0f ? broadcast(88.0f) : -x;  // beyond, exp would overflow
    return x / (exponential(minus) + 1.0f);
  } else {
    return x;
  }
}

}  // namespace dietmt::kernels::DIETMT_ISA
