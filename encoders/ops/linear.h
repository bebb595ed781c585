// The linear layer y = x W^T + b as the Transformer's layers use it.
#pragma once

#include <ATen/core/Tensor.h>

namespace dietmt::encoders {

/// x: [N, inputs]; weight: [outputs, inputs]; bias: [outputs]. Returns [N, outputs]. In fp32 on the
/// CPU forward and backward use matrix_products.h, elsewhere at::linear.
at::Tensor linear_layer(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// Weights [outputs, inputs] and bias [outputs] of a linear layer.
struct LinearWeights {
  const at::Tensor& weight;
  const at::Tensor& bias;
};

/// outer(max(0, inner(x))), the position-wise feed-forward network of Vaswani et al. 2017. In fp32
/// on the CPU it passes once over the hidden layer and once over its gradient.
at::Tensor relu_network(const at::Tensor& x, const LinearWeights& inner,
                        const LinearWeights& outer);

}  // namespace dietmt::encoders
