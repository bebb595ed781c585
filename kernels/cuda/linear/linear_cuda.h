// Linear layers of kernels/device_kernels.h by cuBLASLt. Rows are stored by rows, so a tensor
// [rows, width] is the library's matrix [width, rows]. The symbols of the library stay open at link
// time: LibTorch's CUDA part brings it.
#pragma once

#include "kernels/cuda/linear/product.h"
#include "kernels/cuda/rowwise/row_plan.h"

namespace dietmt::kernels {

/// False, and nothing is done, if the library has no algorithm for the call. Throws Error if the
/// library fails.
bool linear_cuda(const DeviceLinear& call, const ProductMemory& memory);

/// Throws Error also if the library has no algorithm. The sums for grad_bias are an epilogue of the
/// product for grad_weight; where the library has no such algorithm, with `accumulate` and without
/// grad_weight they are a separate kernel, with `rows` as in rowwise_cuda.h:
/// bias_partial_numbers(call) numbers.
void linear_backward_cuda(const DeviceLinearBackward& call, const ProductMemory& memory,
                          const RowMemory& rows);

int64_t bias_partial_numbers(const DeviceLinearBackward& call);

}  // namespace dietmt::kernels
