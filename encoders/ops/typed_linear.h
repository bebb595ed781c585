// Linear layers in the type of the rows, for linear.cpp: by a device's kernels
// (kernels/device_kernels.h), by products of bf16 on the CPU (bf16_products.h) or by LibTorch, with
// gradients of fp32 parameters in fp32.
#pragma once

#include <ATen/core/Tensor.h>

#include "encoders/ops/linear.h"

namespace dietmt::encoders {

/// x W^T, then the epilogue, and x again. On the CPU the bias is always added.
Fork typed_linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                  Epilogue epilogue);

/// outer(max(0, inner(x))), where the epilogue is that of the outer layer, and x again. On the CPU
/// the gradient of the ReLU belongs to a product.
Fork typed_relu_network(const at::Tensor& x, const LinearWeights& inner, const LinearWeights& outer,
                        Epilogue epilogue);

}  // namespace dietmt::encoders
