// GPU memory for the tests' runners.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <string>

#include "common/error.h"

namespace dietmt::kernels {

inline void require_cuda(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw Error(std::string(what) + ": " + cudaGetErrorString(status));
}

struct DeviceFree {
  void operator()(void* memory) const { cudaFree(memory); }
};
using DeviceMemory = std::unique_ptr<void, DeviceFree>;

/// Sets every byte to `fill`.
inline DeviceMemory device_memory(size_t bytes, int fill) {
  void* start = nullptr;
  require_cuda(cudaMalloc(&start, bytes + 16), "memory of the device");
  DeviceMemory memory(start);
  require_cuda(cudaMemset(start, fill, bytes + 16), "filling memory of the device");
  return memory;
}

}  // namespace dietmt::kernels
