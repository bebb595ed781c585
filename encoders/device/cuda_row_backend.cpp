#include "encoders/device/cuda_row_backend.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDAStream.h>

#include <map>
#include <mutex>
#include <utility>

#include "kernels/cuda/linear/linear_cuda.h"
#include "kernels/cuda/rowwise/rowwise_cuda.h"

namespace dietmt::encoders::cuda {
namespace {

using kernels::ProductMemory;
using kernels::RowMemory;

at::TensorOptions on_current_device(at::ScalarType type) {
  return at::TensorOptions(type).device(at::kCUDA, c10::cuda::current_device());
}

void* current_stream() { return c10::cuda::getCurrentCUDAStream().stream(); }

/// State that the calls of one stream share.
struct StreamMemory {
  at::Tensor tickets = at::zeros({kernels::kTicketCount}, on_current_device(at::kInt));
  at::Tensor workspace = at::empty({static_cast<int64_t>(kernels::kProductWorkspaceBytes)},
                                   on_current_device(at::kByte));
};

StreamMemory& stream_memory() {
  static std::mutex mutex;
  // Never destroyed: the driver may be gone when the program ends.
  static auto& memories = *new std::map<std::pair<int, void*>, StreamMemory>;
  const std::lock_guard lock(mutex);
  return memories[{c10::cuda::current_device(), current_stream()}];
}

/// Memory for the partial sums of one call. Memory freed here is reused only by later work of the
/// same stream.
struct PartialSums {
  explicit PartialSums(int64_t numbers)
      : partial(at::empty({numbers}, on_current_device(at::kFloat))),
        memory{partial.mutable_data_ptr<float>(),
               static_cast<uint32_t*>(stream_memory().tickets.mutable_data_ptr())} {}

  at::Tensor partial;
  RowMemory memory;
};

ProductMemory product_memory() {
  return {stream_memory().workspace.mutable_data_ptr(), kernels::kProductWorkspaceBytes,
          current_stream()};
}

void add_norm_backward(const kernels::AddNormBackward& call) {
  const PartialSums sums(kernels::partial_numbers(call));
  kernels::add_norm_backward_cuda(call, sums.memory, current_stream());
}

void activate_backward(const kernels::ActivateBackward& call) {
  const PartialSums sums(kernels::partial_numbers(call));
  kernels::activate_backward_cuda(call, sums.memory, current_stream());
}

void embed_backward(const kernels::DeviceEmbedBackward& call) {
  const PartialSums sums(kernels::partial_numbers(call));
  kernels::embed_backward_cuda(call, sums.memory, current_stream());
}

void column_sums(const kernels::DeviceColumnSums& call) {
  const PartialSums sums(kernels::partial_numbers(call));
  kernels::column_sums_cuda(call, sums.memory, current_stream());
}

void linear_backward(const kernels::DeviceLinearBackward& call) {
  const PartialSums sums(kernels::bias_partial_numbers(call));
  kernels::linear_backward_cuda(call, product_memory(), sums.memory);
}

}  // namespace

void prepare_current_stream() { stream_memory(); }

void add_row_kernels(kernels::DeviceKernels& table) {
  table.add_norm = [](const kernels::AddNorm& call) {
    kernels::add_norm_cuda(call, current_stream());
  };
  table.add_norm_backward = add_norm_backward;
  table.activate = [](const kernels::Activate& call) {
    kernels::activate_cuda(call, current_stream());
  };
  table.activate_backward = activate_backward;
  table.column_sums = column_sums;
  table.embed = [](const kernels::DeviceEmbed& call) {
    kernels::embed_cuda(call, current_stream());
  };
  table.embed_backward = embed_backward;
  table.cross_entropy = [](const kernels::DeviceCrossEntropy& call) {
    kernels::cross_entropy_cuda(call, current_stream());
  };
  table.rotate = [](const kernels::Rotate& call) { kernels::rotate_cuda(call, current_stream()); };
  table.linear = [](const kernels::DeviceLinear& call) {
    return kernels::linear_cuda(call, product_memory());
  };
  table.linear_backward = linear_backward;
}

}  // namespace dietmt::encoders::cuda
