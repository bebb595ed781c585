// The CUDA attention kernels (kernels/cuda/attention_cuda.h) on tensors of LibTorch's current
// device and stream. They lie in a shared object of their own, dietmt_attention_cuda, whose symbols
// of libtorch_cuda and libcudart stay open until it is loaded: so it is built wherever nvcc is, and
// one program serves machines with and without CUDA.
#pragma once

#include <string>
#include <vector>

#include "kernels/attention.h"

namespace dietmt::encoders {

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
/// program or its ../lib. To be called before LibTorch is asked for devices.
const LoadedCudaKernels& cuda_kernels();

}  // namespace dietmt::encoders
