// CPU tensors over the mirror of device tensors, and device tensors over results in the mirror.
#pragma once

#include <ATen/core/Tensor.h>

namespace dietmt::counting {

/// A CPU tensor with the same elements; the device tensor must outlive it.
at::Tensor mirror_alias(const at::Tensor& device_tensor);

/// A CPU kernel's result as a device tensor; not copied if its memory is in the mirror.
at::Tensor device_tensor_of(const at::Tensor& result);

/// Gives a device tensor the memory and sizes of a CPU kernel's result.
void adopt(const at::Tensor& device_tensor, const at::Tensor& result);

}  // namespace dietmt::counting
