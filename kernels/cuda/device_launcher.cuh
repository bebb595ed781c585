// Starts blocks on a stream of the current device.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "common/error.h"
#include "kernels/cuda/primitives.h"

namespace dietmt::kernels {

inline void throw_if_failed(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw Error(std::string(what) + ": " + cudaGetErrorString(status));
}

template <typename Block>
__global__ void __launch_bounds__(block_threads<Block>(), blocks_together<Block>())
    run_block(const __grid_constant__ typename Block::Arguments arguments) {
  extern __shared__ __align__(16) char shared[];
  const BlockIndex block{static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y),
                         static_cast<int>(blockIdx.z)};
  Block::run(arguments, block, shared);
}

class DeviceLauncher {
 public:
  explicit DeviceLauncher(void* stream) : stream_(static_cast<cudaStream_t>(stream)) {}

  template <typename Block>
  void launch(BlockIndex grid, const typename Block::Arguments& arguments) {
    if (grid.x == 0 || grid.y == 0 || grid.z == 0) return;
    const auto bytes = static_cast<int>(Block::shared_bytes(arguments));
    allow_shared_memory<Block>(bytes);
    const dim3 blocks(static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y),
                      static_cast<unsigned>(grid.z));
    constexpr auto kBlockThreads = static_cast<unsigned>(block_threads<Block>());
    run_block<Block><<<blocks, kBlockThreads, static_cast<size_t>(bytes), stream_>>>(arguments);
    throw_if_failed(cudaGetLastError(), "starting a CUDA kernel");
  }

 private:
  // The limit belongs to the kernel on a device. It is never lowered: other host threads, and
  // graphs that were recorded before, launch the kernel with other sizes.
  template <typename Block>
  static void allow_shared_memory(int bytes) {
    static std::mutex mutex;
    static std::map<int, int> limits;  // by device
    int device = 0;
    throw_if_failed(cudaGetDevice(&device), "the current CUDA device");
    const std::lock_guard<std::mutex> lock(mutex);
    int& limit = limits[device];
    if (bytes <= limit) return;
    throw_if_failed(
        cudaFuncSetAttribute(run_block<Block>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "shared memory of a CUDA kernel");
    limit = bytes;
  }

  cudaStream_t stream_;
};

}  // namespace dietmt::kernels
