// Compiled once for each element type and head width (DIETMT_ELEMENT, DIETMT_WIDTH).
#include "kernels/cuda/attention_driver.cuh"
#include "kernels/cuda/device_launcher.cuh"

namespace dietmt::kernels {

template <>
void attention_forward_on<DIETMT_ELEMENT, DIETMT_WIDTH>(const AttentionForward& call,
                                                        void* stream) {
  DeviceLauncher launcher(stream);
  run_attention_forward<DIETMT_ELEMENT, DIETMT_WIDTH>(call, launcher);
}

template <>
void attention_backward_on<DIETMT_ELEMENT, DIETMT_WIDTH>(const AttentionBackward& call,
                                                         void* workspace, void* stream) {
  DeviceLauncher launcher(stream);
  run_attention_backward<DIETMT_ELEMENT, DIETMT_WIDTH>(call, static_cast<char*>(workspace),
                                                       launcher);
}

}  // namespace dietmt::kernels
