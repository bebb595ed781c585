// Devices and threads, as commands name them, and the CUDA attention kernels
// (kernels/cuda/attention_cuda.h) on tensors of LibTorch's current device and stream. The kernels
// lie in their own shared object, dietmt_attention_cuda, whose symbols of libtorch_cuda and
// libcudart stay open until it is loaded. So it is built wherever nvcc is, and one program serves
// machines with and without CUDA.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/attention.h"

namespace dietmt::encoders {

/// "cpu", "cuda" or "cuda:I". Throws ConfigError if the device is not there.
c10::Device parse_device(const std::string& name);

/// Sets the threads of tensor operations; 0: as many as there are cores. Returns their number.
int64_t set_threads(int64_t threads);

/// Views with offsets of the host, as for the CPU. content_scale is in host memory too; all else is
/// on the current device.
struct CudaKernels {
  std::vector<std::string> (*reasons_against)(const kernels::AttentionForward& call);
  void (*forward)(const kernels::AttentionForward& call);
  void (*backward)(const kernels::AttentionBackward& call);
};

struct LoadedCudaKernels {
  const CudaKernels* kernels = nullptr;
  std::string problem;  // why there are none
};

/// Loads libtorch_cuda and the shared object at the first call, the latter from the folder of the
/// program or its ../lib. Call it before asking LibTorch for devices.
const LoadedCudaKernels& cuda_kernels();

}  // namespace dietmt::encoders
