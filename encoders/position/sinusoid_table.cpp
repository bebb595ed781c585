#include "encoders/position/sinusoid_table.h"

#include <ATen/ATen.h>

namespace dietmt::encoders {
namespace {

at::Tensor sinusoids(const at::Tensor& x, const at::Tensor& w, int64_t dim) {
  const at::Tensor angles = x.to(w.options().requires_grad(false)).unsqueeze(1) * w;  // [R, W]
  return at::stack({angles.sin(), angles.cos()}, dim).flatten(-2);
}

}  // namespace

at::Tensor sinusoid_frequencies(int64_t count, double steps, double base) {
  return at::pow(base, at::arange(count, at::kDouble) / -steps);
}

at::Tensor interleaved_sinusoids(const at::Tensor& x, const at::Tensor& w) {
  return sinusoids(x, w, -1);
}

at::Tensor halved_sinusoids(const at::Tensor& x, const at::Tensor& w) {
  return sinusoids(x, w, -2);
}

at::Tensor at_least_float(const at::Tensor& w) {
  const bool narrow = w.scalar_type() == at::kBFloat16 || w.scalar_type() == at::kHalf;
  return narrow ? w.to(at::kFloat) : w;
}

}  // namespace dietmt::encoders
