// What CUDA does for an operator of LibTorch: how many kernels it launches and whether the host
// waits for the result. Read from the documentation of the operators and from profiles of LibTorch;
// numbers of operators that take several kernels are approximate.
#pragma once

#include <ATen/core/stack.h>

#include <cstdint>
#include <string>

namespace dietmt::counting {

/// Kernels of one call. `name` without the overload, as in "aten::add".
int64_t launches_of(const std::string& name, c10::ArrayRef<c10::IValue> arguments);

/// Whether its result has a shape, or is a number, that the host must read first.
bool waits_for_result(const std::string& name, c10::ArrayRef<c10::IValue> arguments);

/// Launches of a multi-tensor kernel over `lists` lists of tensors of these sizes. One launch takes
/// at most 110, 64, 48, 36 or 30 tensors, by the number of lists, and 320 blocks of 65,536 numbers
/// (MultiTensorApply of LibTorch).
int64_t multi_tensor_launches(c10::ArrayRef<int64_t> sizes, int64_t lists);

}  // namespace dietmt::counting
