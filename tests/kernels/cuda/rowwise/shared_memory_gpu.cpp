// Host memory that a GPU can read and write.
#include <cstring>
#include <vector>

#include "tests/kernels/cuda/rowwise/gpu_memory.h"
#include "tests/kernels/cuda/rowwise/row_runner.h"

namespace dietmt::kernels {
namespace {

struct PinnedFree {
  void operator()(void* memory) const { cudaFreeHost(memory); }
};

}  // namespace

std::string reason_not_to_run() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess) return std::string("no GPU: ") + cudaGetErrorString(status);
  return devices == 0 ? "no GPU" : "";
}

void* allocate_shared(size_t bytes) {
  static std::vector<std::unique_ptr<void, PinnedFree>> memory;
  void* start = nullptr;
  require_cuda(cudaHostAlloc(&start, bytes + 256, cudaHostAllocMapped), "pinned memory");
  std::memset(start, 0xff, bytes + 256);
  memory.emplace_back(start);
  return start;
}

}  // namespace dietmt::kernels
