// Linear layers on a device, for linear.cpp: products in the type of the rows, by the device's
// kernels (kernels/device_kernels.h) or by LibTorch, with gradients of fp32 parameters in fp32.
#pragma once

#include <ATen/core/Tensor.h>

#include "encoders/ops/linear.h"

namespace dietmt::encoders {

/// x W^T, then what the epilogue says, and x again.
Fork device_linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                   Epilogue epilogue);

}  // namespace dietmt::encoders
