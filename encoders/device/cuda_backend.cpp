// The shared object that device.h loads.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

#include <string>

#include "encoders/device/cuda_graphs.h"
#include "encoders/device/cuda_row_backend.h"
#include "encoders/device/device.h"
#include "kernels/cuda/attention_cuda.h"
#include "kernels/cuda/sm90/attention_cuda.h"
#include "kernels/cuda/step/step_cuda.h"

namespace dietmt::encoders {
namespace {

using kernels::AttentionBackward;
using kernels::AttentionForward;

void* current_stream() { return c10::cuda::getCurrentCUDAStream().stream(); }

/// Memory that is freed here is reused only by later work of the same stream.
at::Tensor workspace_of(size_t bytes) {
  const at::Device device(at::kCUDA, c10::cuda::current_device());
  return at::empty({static_cast<int64_t>(bytes)}, at::TensorOptions(at::kByte).device(device));
}

void forward(const AttentionForward& call) {
  const at::Tensor workspace = workspace_of(kernels::attention_workspace_cuda(call));
  kernels::attention_forward_cuda(call, workspace.mutable_data_ptr(), current_stream());
}

void backward(const AttentionBackward& call) {
  const at::Tensor workspace = workspace_of(kernels::attention_workspace_cuda(call));
  kernels::attention_backward_cuda(call, workspace.mutable_data_ptr(), current_stream());
}

void warpgroup_backward(const AttentionBackward& call) {
  const at::Tensor workspace = workspace_of(kernels::warpgroup_workspace_cuda(call));
  kernels::warpgroup_backward_cuda(call, workspace.mutable_data_ptr(), current_stream());
}

/// As NVIDIA's tools print it.
std::string uuid_of(c10::Device device) {
  cudaDeviceProp properties{};
  C10_CUDA_CHECK(cudaGetDeviceProperties(&properties, device.has_index() ? device.index() : 0));
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "GPU";
  for (size_t i = 0; i < sizeof(properties.uuid.bytes); ++i) {
    const auto byte = static_cast<unsigned char>(properties.uuid.bytes[i]);
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[byte / 16];
    text += kDigits[byte % 16];
  }
  return text;
}

/// kernels/cuda/CMakeLists.txt compiles for the oldest of these, and newer ones take that too.
std::string reason_against(c10::Device device) {
  constexpr int kOldestMajor = 8;
  const int index = device.has_index() ? device.index() : c10::cuda::current_device();
  int major = 0, minor = 0;
  C10_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, index));
  C10_CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, index));
  if (major >= kOldestMajor) return "";
  return "they need compute capability " + std::to_string(kOldestMajor) +
         ".0 or newer, and this GPU has " + std::to_string(major) + "." + std::to_string(minor);
}

kernels::DeviceKernels table() {
  kernels::DeviceKernels kernels = {
      .reasons_against_attention = kernels::reasons_against_attention_cuda,
      .attention_forward = forward,
      .attention_backward = backward,
      .reasons_against_warpgroup_attention = kernels::reasons_against_warpgroup_cuda,
      .warpgroup_attention_forward =
          [](const AttentionForward& call) {
            kernels::warpgroup_forward_cuda(call, current_stream());
          },
      .step_attention =
          [](const kernels::DeviceStepAttention& call) {
            kernels::step_attention_cuda(call, current_stream());
          },
      .beam_step =
          [](const kernels::DeviceBeamStep& call) {
            kernels::beam_step_cuda(call, current_stream());
          },
      .warpgroup_attention_backward = warpgroup_backward};
  cuda::add_row_kernels(kernels);
  return kernels;
}

}  // namespace
}  // namespace dietmt::encoders

extern "C" __attribute__((visibility("default"))) const dietmt::encoders::DeviceBackend*
dietmt_cuda_backend() {
  using namespace dietmt;
  static const kernels::DeviceKernels kernels = encoders::table();
  static const encoders::DeviceBackend backend = {&kernels, encoders::cuda_graphs,
                                                  encoders::uuid_of, encoders::reason_against};
  return &backend;
}
