// CPU tensors over the mirror of device tensors, and device tensors over results in the mirror.
#pragma once

#include <ATen/core/Tensor.h>

namespace dietmt::counting {

/// A CPU tensor of the same elements; the device tensor must outlive it.
at::Tensor mirror_alias(const at::Tensor& device_tensor);

/// The device tensor of a CPU kernel's result: without a copy if its memory is in the mirror.
at::Tensor device_tensor_of(const at::Tensor& result);

/// Gives a device tensor the memory and the sizes of a CPU kernel's result.
void adopt(const at::Tensor& device_tensor, const at::Tensor& result);

}  // namespace dietmt::counting
