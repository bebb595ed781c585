#include "encoders/transformer/norm.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include "encoders/ops/fused_ops.h"

namespace dietmt::encoders {

Norm::Norm(int64_t width, double epsilon, NormType type) : epsilon_(epsilon) {
  weight = register_parameter("weight", torch::ones({width}));
  if (type == NormType::kLayer) bias = register_parameter("bias", torch::zeros({width}));
}

at::Tensor Norm::forward(const at::Tensor& x) const {
  if (!bias.defined()) return rms_norm(x, weight, epsilon_);
  return layer_norm(x, weight, bias, epsilon_);
}

}  // namespace dietmt::encoders
