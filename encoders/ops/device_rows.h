// The row kernels of a device (kernels/device_kernels.h) as operations with gradients, for
// fused_ops.cpp and typed_linear.cpp. The rows are fp32, bf16 or fp16, parameters and their
// gradients fp32.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "encoders/ops/branch.h"
#include "encoders/ops/dropout_keys.h"
#include "kernels/device_kernels.h"

namespace dietmt::encoders {

/// An argument of an autograd function, which cannot be an undefined tensor.
std::optional<at::Tensor> if_defined(const at::Tensor& x);

/// The kernels of the tensor's device if they know its type; else null.
const kernels::DeviceKernels* row_kernels(const at::Tensor& x);

/// norm(residual + dropout(branch.rows + branch.bias)); rows are [N, D]. branch.rows and beta may
/// be undefined.
bool has_device_add_norm(const at::Tensor& residual, const at::Tensor& gamma);
at::Tensor device_add_norm(const at::Tensor& residual, const Branch& branch,
                           const at::Tensor& gamma, const at::Tensor& beta, const DropoutSite& site,
                           double epsilon);

/// residual + dropout(activation(x.rows + x.bias)), over the last dimension; `residual` may be
/// undefined.
bool has_device_activate(const at::Tensor& x);
at::Tensor device_activate(const at::Tensor& residual, const Branch& x,
                           kernels::DeviceActivation activation, const DropoutSite& site);

}  // namespace dietmt::encoders
