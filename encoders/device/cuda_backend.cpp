// The shared object behind device.h.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "encoders/device/cuda_row_backend.h"
#include "encoders/device/device.h"
#include "kernels/cuda/attention_cuda.h"

namespace dietmt::encoders {
namespace {

using kernels::AttentionBackward;
using kernels::AttentionForward;

at::Device current_device() { return {at::kCUDA, c10::cuda::current_device()}; }

void append_tiles(std::vector<kernels::TileOfSentence>& tiles, const kernels::HostOffsets& offsets,
                  int64_t sentences) {
  std::vector<int32_t> order(static_cast<size_t>(sentences));
  std::iota(order.begin(), order.end(), 0);
  const auto length = [&](int32_t b) { return offsets[b + 1] - offsets[b]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return length(a) > length(b); });
  for (const int32_t b : order)
    for (int32_t tile = 0; tile * kernels::kDeviceTileRows < length(b); ++tile)
      tiles.push_back({b, tile});
}

/// A call whose offsets and tiles are on the device; where the caller has not put them there, they
/// are copied to a tensor that has to outlive the call.
struct DeviceCall {
  at::Tensor numbers;  // both offsets, then both lists of tiles
  AttentionForward view;
};

DeviceCall on_device(const AttentionForward& call) {
  if (call.sizes.device_query_offsets.data != nullptr) return {{}, call};
  static_assert(sizeof(kernels::TileOfSentence) == sizeof(int64_t));
  const int64_t offsets = call.sizes.sentences + 1;
  std::vector<kernels::TileOfSentence> tiles;
  append_tiles(tiles, call.sizes.query_offsets, call.sizes.sentences);
  const std::ptrdiff_t query_tiles = std::ssize(tiles);
  append_tiles(tiles, call.sizes.key_offsets, call.sizes.sentences);
  const at::Tensor host = at::empty({2 * offsets + std::ssize(tiles)}, at::kLong);
  auto* const numbers = host.mutable_data_ptr<int64_t>();
  std::copy_n(call.sizes.query_offsets.data, offsets, numbers);
  std::copy_n(call.sizes.key_offsets.data, offsets, numbers + offsets);
  std::memcpy(numbers + 2 * offsets, tiles.data(), tiles.size() * sizeof(int64_t));

  DeviceCall result{host.to(current_device()), call};
  const auto* const start = result.numbers.const_data_ptr<int64_t>();
  const auto* const list = reinterpret_cast<const kernels::TileOfSentence*>(start + 2 * offsets);
  kernels::AttentionSizes& sizes = result.view.sizes;
  sizes.device_query_offsets = {start};
  sizes.device_key_offsets = {start + offsets};
  sizes.device_query_tiles = {list, query_tiles};
  sizes.device_key_tiles = {list + query_tiles, std::ssize(tiles) - query_tiles};
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

kernels::DeviceKernels table() {
  kernels::DeviceKernels kernels = {
      .reasons_against_attention = kernels::reasons_against_attention_cuda,
      .attention_forward = forward,
      .attention_backward = backward};
  cuda::add_row_kernels(kernels);
  return kernels;
}

}  // namespace
}  // namespace dietmt::encoders

extern "C" __attribute__((visibility("default"))) const dietmt::kernels::DeviceKernels*
dietmt_cuda_kernels() {
  static const dietmt::kernels::DeviceKernels kernels = dietmt::encoders::table();
  return &kernels;
}
