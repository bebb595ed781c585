// The cases on a GPU, in memory of the host that it can read and write.
#include <cuda_runtime_api.h>

#include <cstring>
#include <memory>
#include <vector>

#include "common/error.h"
#include "kernels/cuda/rowwise/rowwise_cuda.h"
#include "tests/kernels/cuda/rowwise/row_runner.h"

namespace dietmt::kernels {
namespace {

void require(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw Error(std::string(what) + ": " + cudaGetErrorString(status));
}

struct PinnedFree {
  void operator()(void* memory) const { cudaFreeHost(memory); }
};

struct DeviceFree {
  void operator()(void* memory) const { cudaFree(memory); }
};
using DeviceMemory = std::unique_ptr<void, DeviceFree>;

DeviceMemory device_memory(size_t bytes, int fill) {
  void* start = nullptr;
  require(cudaMalloc(&start, bytes + 16), "memory of the device");
  DeviceMemory memory(start);
  require(cudaMemset(start, fill, bytes + 16), "filling memory of the device");
  return memory;
}

template <typename Call, typename Run>
void run_with_memory(const Call& call, const Run& run) {
  static const DeviceMemory tickets = device_memory(kTicketCount * sizeof(uint32_t), 0);
  const DeviceMemory partial =
      device_memory(static_cast<size_t>(partial_numbers(call)) * sizeof(float), 0xff);
  run(call, RowMemory{static_cast<float*>(partial.get()), static_cast<uint32_t*>(tickets.get())},
      nullptr);
  require(cudaDeviceSynchronize(), "a row kernel");
}

template <typename Call, typename Run>
void run_plainly(const Call& call, const Run& run) {
  run(call, nullptr);
  require(cudaDeviceSynchronize(), "a row kernel");
}

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
  require(cudaHostAlloc(&start, bytes + 256, cudaHostAllocMapped), "pinned memory");
  std::memset(start, 0xff, bytes + 256);
  memory.emplace_back(start);
  return start;
}

void run_rows_here(const DeviceAddNorm& call) { run_plainly(call, add_norm_cuda); }
void run_rows_here(const DeviceActivate& call) { run_plainly(call, activate_cuda); }
void run_rows_here(const DeviceEmbed& call) { run_plainly(call, embed_cuda); }
void run_rows_here(const DeviceEmbedBackward& call) { run_plainly(call, embed_backward_cuda); }
void run_rows_here(const DeviceCrossEntropy& call) { run_plainly(call, cross_entropy_cuda); }
void run_rows_here(const DeviceRotate& call) { run_plainly(call, rotate_cuda); }

void run_rows_here(const DeviceAddNormBackward& call) {
  run_with_memory(call, add_norm_backward_cuda);
}

void run_rows_here(const DeviceActivateBackward& call) {
  run_with_memory(call, activate_backward_cuda);
}

void run_rows_here(const DeviceColumnSums& call) {
  run_with_memory(call, [](const DeviceColumnSums& sums, const RowMemory& memory, void* stream) {
    column_sums_cuda(sums, memory, stream);
  });
}

}  // namespace dietmt::kernels
