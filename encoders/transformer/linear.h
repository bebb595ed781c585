// The linear layer y = x W^T + b as the Transformer's layers use it.
#pragma once

#include <ATen/core/Tensor.h>

namespace dietmt::encoders {

/// x: [N, inputs]; weight: [outputs, inputs]; bias: [outputs]. Returns [N, outputs]. In training in
/// fp32 on the CPU, large layers run oneDNN's products instead of the BLAS library's, which leave
/// AVX-512 unused on processors of some makers; elsewhere at::linear.
at::Tensor linear_layer(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

}  // namespace dietmt::encoders
