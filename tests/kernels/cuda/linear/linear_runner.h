// Where the linear layer cases run: with a stand-in for cuBLASLt on the host (fake_library.cpp), or
// on a GPU (linear_runner_gpu.cpp). Each test program links one of them.
#pragma once

#include "kernels/device_kernels.h"
#include "tests/kernels/cuda/rowwise/row_runner.h"

namespace dietmt::kernels {

/// Returns false if the library has no algorithm for the call.
bool run_linear_here(const DeviceLinear& call);
void run_linear_here(const DeviceLinearBackward& call);

}  // namespace dietmt::kernels
