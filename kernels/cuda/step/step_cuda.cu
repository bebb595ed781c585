#include "kernels/cuda/device_launcher.cuh"
#include "kernels/cuda/step/beam_step.cuh"
#include "kernels/cuda/step/step_attention.cuh"
#include "kernels/cuda/step/step_cuda.h"

namespace dietmt::kernels {

void step_attention_cuda(const DeviceStepAttention& call, void* stream) {
  DeviceLauncher launcher(stream);
  step_attention_on(launcher, call);
}

void beam_step_cuda(const DeviceBeamStep& call, void* stream) {
  DeviceLauncher launcher(stream);
  beam_step_on(launcher, call);
}

}  // namespace dietmt::kernels
