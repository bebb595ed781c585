// The cases on a GPU.
#include "kernels/cuda/sm90/attention_cuda.h"
#include "tests/kernels/cuda/device_mirror.h"
#include "tests/kernels/cuda/sm90/runner.h"

namespace dietmt::kernels {
namespace {

DeviceMirror& mirror() {
  static DeviceMirror memory;
  return memory;
}

}  // namespace

std::string reason_not_to_run() {
  int major = 0;
  const cudaError_t status = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
  if (status != cudaSuccess) return std::string("no GPU: ") + cudaGetErrorString(status);
  return major == 9 ? "" : "no GPU: none of compute capability 9.0";
}

void* allocate_shared(size_t bytes) { return mirror().allocate(bytes, 0); }

void run_warpgroup_attention(const AttentionBackward& call) {
  AttentionBackward on_device = mirror().on_device(call);
  on_device.forward.sizes.query_offsets = {};
  on_device.forward.sizes.key_offsets = {};
  // This stays in host memory.
  on_device.forward.terms.content_scale = call.forward.terms.content_scale;
  const DeviceMemory workspace = device_memory(warpgroup_workspace_cuda(on_device), 0xff);
  warpgroup_forward_cuda(on_device.forward, nullptr);
  warpgroup_backward_cuda(on_device, workspace.get(), nullptr);
  mirror().copy_back();
}

}  // namespace dietmt::kernels
