#include "encoders/transformer/adapter.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include <utility>

#include "encoders/ops/fused_ops.h"
#include "encoders/ops/linear.h"

namespace dietmt::encoders {

Adapter::Adapter(int64_t size, std::shared_ptr<Norm> norm) {
  norm_ = register_module("norm", std::move(norm));
  const int64_t width = norm_->weight.size(0);
  down_weight_ = register_parameter("down_weight", glorot(size, width));
  down_bias_ = register_parameter("down_bias", torch::zeros({size}));
  up_weight_ = register_parameter("up_weight", torch::zeros({width, size}));
  up_bias_ = register_parameter("up_bias", torch::zeros({width}));
}

at::Tensor Adapter::forward(const at::Tensor& x) const {
  const BranchAndResidual network =
      relu_network(norm_->forward(x), {down_weight_, down_bias_}, {up_weight_, up_bias_});
  return dropout_add(x, network.branch, {});
}

}  // namespace dietmt::encoders
