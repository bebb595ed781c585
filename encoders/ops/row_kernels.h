// The kernels that pass over rows, of the CPU and of devices, as the operations of this folder call
// them. The rows are fp32, bf16 or, on a device, fp16; parameters and their gradients are fp32.
#pragma once

#include <ATen/core/Tensor.h>

#include "kernels/device_kernels.h"

namespace dietmt::encoders {

/// The kernels of the tensor's device, the CPU included, if they know its type; else null.
const kernels::DeviceKernels* row_kernels(const at::Tensor& x);

/// The numbers of a tensor; null if it is undefined.
template <typename Number = float>
const Number* numbers_of(const at::Tensor& x) {
  return x.defined() ? static_cast<const Number*>(x.const_data_ptr()) : nullptr;
}
template <typename Number = float>
Number* numbers_to(const at::Tensor& x) {
  return x.defined() ? static_cast<Number*>(x.mutable_data_ptr()) : nullptr;
}

}  // namespace dietmt::encoders
