// The cases on a GPU.
#include <algorithm>

#include "kernels/cuda/attention_cuda.h"
#include "tests/kernels/cuda/device_mirror.h"
#include "tests/kernels/cuda/runner.h"

namespace dietmt::kernels {
namespace {

DeviceMirror& mirror() {
  static DeviceMirror memory;
  return memory;
}

}  // namespace

std::string reason_not_to_run() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess) return std::string("no GPU: ") + cudaGetErrorString(status);
  return devices == 0 ? "no GPU" : "";
}

std::string reason_not_to_run(const AttentionForward& call) {
  const std::vector<std::string> reasons = reasons_against_attention_cuda(call);
  return reasons.empty() ? "" : reasons.front();
}

void* allocate_shared(size_t bytes) { return mirror().allocate(bytes, 0); }

void run_attention(const AttentionBackward& call) {
  AttentionBackward on_device = mirror().on_device(call);
  // These stay in host memory.
  AttentionForward& forward = on_device.forward;
  forward.sizes.query_offsets = call.forward.sizes.query_offsets;
  forward.sizes.key_offsets = call.forward.sizes.key_offsets;
  forward.terms.content_scale = call.forward.terms.content_scale;
  const size_t bytes =
      std::max(attention_workspace_cuda(forward), attention_workspace_cuda(on_device));
  const DeviceMemory workspace = device_memory(bytes, 0xff);
  attention_forward_cuda(forward, workspace.get(), nullptr);
  attention_backward_cuda(on_device, workspace.get(), nullptr);
  mirror().copy_back();
}

}  // namespace dietmt::kernels
