// The kernels of a decoding step on a stream of the current device.
#pragma once

#include "kernels/device_kernels.h"

namespace dietmt::kernels {

void step_attention_cuda(const DeviceStepAttention& call, void* stream);
void beam_step_cuda(const DeviceBeamStep& call, void* stream);

}  // namespace dietmt::kernels
