// Sines and cosines of positions or offsets, which several encodings use.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dietmt::encoders {

/// base^(-m / steps) for m = 0 .. count-1, in double on the CPU: with steps = count = D/2 the w_m
/// of Vaswani et al. 2017.
at::Tensor sinusoid_frequencies(int64_t count, double steps, double base = 10000.0);

/// Row r: sin(x_r w_m) and cos(x_r w_m) of all m in pairs (interleaved). x: [R]; w: [W]; in the
/// type of w. Returns [R, 2W].
at::Tensor interleaved_sinusoids(const at::Tensor& x, const at::Tensor& w);

/// Sinusoids with all sines before all cosines.
at::Tensor halved_sinusoids(const at::Tensor& x, const at::Tensor& w);

/// bfloat16 cannot hold the angle of a distant position: at least fp32.
at::Tensor at_least_float(const at::Tensor& w);

}  // namespace dietmt::encoders
