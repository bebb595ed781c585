// What CUDA does for a LibTorch operator: how many kernels it launches, and whether the host waits
// for the result. From the operators' documentation and profiles of LibTorch; counts for operators
// with several kernels are approximate.
#pragma once

#include <ATen/core/stack.h>

#include <cstdint>
#include <string>

namespace dietmt::counting {

/// Kernels per call. `name` without the overload, as in "aten::add".
int64_t launches_of(const std::string& name, c10::ArrayRef<c10::IValue> arguments);

/// Whether the host must first read the result, or its shape.
bool waits_for_result(const std::string& name, c10::ArrayRef<c10::IValue> arguments);

/// Launches of a multi-tensor kernel over `lists` lists of tensors of these sizes. One launch takes
/// at most 110, 64, 48, 36 or 30 tensors, depending on the number of lists, and 320 blocks of
/// 65,536 numbers (LibTorch's MultiTensorApply).
int64_t multi_tensor_launches(c10::ArrayRef<int64_t> sizes, int64_t lists);

}  // namespace dietmt::counting
