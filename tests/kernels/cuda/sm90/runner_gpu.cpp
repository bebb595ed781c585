// The cases on a GPU.
#include "kernels/cuda/sm90/forward_cuda.h"
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

void run_warpgroup_forward(const AttentionForward& call) {
  AttentionForward on_device = mirror().on_device(call);
  // These stay in host memory.
  on_device.sizes.query_offsets = call.sizes.query_offsets;
  on_device.sizes.key_offsets = call.sizes.key_offsets;
  on_device.terms.content_scale = call.terms.content_scale;
  warpgroup_forward_cuda(on_device, nullptr);
  mirror().copy_back();
}

}  // namespace dietmt::kernels
