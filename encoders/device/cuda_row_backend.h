// The row operations and linear layers of kernels/device_kernels.h on LibTorch's current device and
// stream, in the shared object of device.h.
#pragma once

#include "kernels/device_kernels.h"

namespace dietmt::encoders::cuda {

/// Allocates the state that the calls of the current stream share.
void prepare_current_stream();

/// Sets the functions of the table.
void add_row_kernels(kernels::DeviceKernels& table);

}  // namespace dietmt::encoders::cuda
