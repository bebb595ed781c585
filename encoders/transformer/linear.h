// The linear layer y = x W^T + b as the Transformer's layers use it.
#pragma once

#include <ATen/core/Tensor.h>

namespace dietmt::encoders {

/// x: [N, inputs]; weight: [outputs, inputs]; bias: [outputs]. Returns [N, outputs]. Forward and
/// backward in fp32 on the CPU use matrix_products.h; elsewhere at::linear.
at::Tensor linear_layer(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

}  // namespace dietmt::encoders
