// The cases on a GPU, in managed memory.
#include <cuda_runtime_api.h>

#include <cstring>
#include <memory>
#include <vector>

#include "common/error.h"
#include "kernels/cuda/attention_cuda.h"
#include "tests/kernels/cuda/runner.h"

namespace dietmt::kernels {
namespace {

void require(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw Error(std::string(what) + ": " + cudaGetErrorString(status));
}

struct ManagedFree {
  void operator()(void* memory) const { cudaFree(memory); }
};

}  // namespace

std::string reason_not_to_run() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess) return std::string("no GPU: ") + cudaGetErrorString(status);
  return devices == 0 ? "no GPU" : "";
}

void* allocate_shared(size_t bytes) {
  static std::vector<std::unique_ptr<void, ManagedFree>> memory;
  void* start = nullptr;
  require(cudaMallocManaged(&start, bytes + 256, cudaMemAttachGlobal), "managed memory");
  std::memset(start, 0, bytes + 256);
  memory.emplace_back(start);
  return start;
}

void run_attention(const AttentionBackward& call) {
  void* workspace = allocate_shared(attention_workspace_cuda(call));
  attention_forward_cuda(call.forward, nullptr);
  attention_backward_cuda(call, workspace, nullptr);
  require(cudaDeviceSynchronize(), "attention");
}

}  // namespace dietmt::kernels
