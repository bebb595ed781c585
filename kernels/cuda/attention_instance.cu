// Compiled once for each element type, head width and class of terms (DIETMT_ELEMENT,
// DIETMT_WIDTH, DIETMT_TERMS).
#include "kernels/cuda/attention_driver.cuh"
#include "kernels/cuda/attention_instance.cuh"
#include "kernels/cuda/device_launcher.cuh"

namespace dietmt::kernels {

template <>
void AttentionInstance<DIETMT_ELEMENT, DIETMT_WIDTH, TermClass::DIETMT_TERMS>::forward(
    const AttentionForward& call, void* workspace, void* stream) {
  DeviceLauncher launcher(stream);
  run_attention_forward<DIETMT_ELEMENT, DIETMT_WIDTH, TermClass::DIETMT_TERMS>(
      call, static_cast<char*>(workspace), launcher);
}

template <>
void AttentionInstance<DIETMT_ELEMENT, DIETMT_WIDTH, TermClass::DIETMT_TERMS>::backward(
    const AttentionBackward& call, void* workspace, void* stream) {
  DeviceLauncher launcher(stream);
  run_attention_backward<DIETMT_ELEMENT, DIETMT_WIDTH, TermClass::DIETMT_TERMS>(
      call, static_cast<char*>(workspace), launcher);
}

template <>
int64_t AttentionInstance<DIETMT_ELEMENT, DIETMT_WIDTH, TermClass::DIETMT_TERMS>::shared_bytes(
    const AttentionForward& call) {
  return largest_shared_memory<DIETMT_ELEMENT, DIETMT_WIDTH, TermClass::DIETMT_TERMS>(call);
}

}  // namespace dietmt::kernels
