// The shared object behind device.h.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>

#include "encoders/device/device.h"
#include "kernels/cuda/attention_cuda.h"

namespace dietmt::encoders {
namespace {

using kernels::AttentionBackward;
using kernels::AttentionForward;

at::Device current_device() { return {at::kCUDA, c10::cuda::current_device()}; }

/// A call whose offsets and scales are on the device, in one tensor that has to outlive it.
struct DeviceCall {
  at::Tensor numbers;  // both offsets, then content_scale
  AttentionForward view;
};

DeviceCall on_device(const AttentionForward& call) {
  const int64_t offsets = call.sizes.sentences + 1;
  const int64_t heads = call.sizes.heads;
  const at::Tensor host = at::empty({2 * offsets + (heads + 1) / 2}, at::kLong);
  auto* const numbers = host.mutable_data_ptr<int64_t>();
  std::copy_n(call.sizes.query_offsets.data, offsets, numbers);
  std::copy_n(call.sizes.key_offsets.data, offsets, numbers + offsets);
  std::copy_n(call.terms.content_scale, heads, reinterpret_cast<float*>(numbers + 2 * offsets));

  DeviceCall result{host.to(current_device()), call};
  const auto* const start = result.numbers.const_data_ptr<int64_t>();
  result.view.sizes.device_query_offsets = {start};
  result.view.sizes.device_key_offsets = {start + offsets};
  result.view.terms.content_scale = reinterpret_cast<const float*>(start + 2 * offsets);
  return result;
}

void* current_stream() { return c10::cuda::getCurrentCUDAStream().stream(); }

void forward(const AttentionForward& call) {
  kernels::attention_forward_cuda(on_device(call).view, current_stream());
}

// Memory that is freed here is reused only by later work of the same stream.
void backward(const AttentionBackward& call) {
  const DeviceCall forward_call = on_device(call.forward);
  AttentionBackward device_call = call;
  device_call.forward = forward_call.view;
  const auto bytes = static_cast<int64_t>(kernels::attention_workspace_cuda(device_call));
  const at::Tensor workspace =
      at::empty({bytes}, at::TensorOptions(at::kByte).device(current_device()));
  kernels::attention_backward_cuda(device_call, workspace.mutable_data_ptr(), current_stream());
}

constexpr kernels::DeviceKernels kKernels = {
    .reasons_against_attention = kernels::reasons_against_attention_cuda,
    .attention_forward = forward,
    .attention_backward = backward};

}  // namespace
}  // namespace dietmt::encoders

extern "C" __attribute__((visibility("default"))) const dietmt::kernels::DeviceKernels*
dietmt_cuda_kernels() {
  return &dietmt::encoders::kKernels;
}
