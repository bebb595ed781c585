#include "kernels/cuda/linear/linear_cuda.h"
#include "tests/kernels/cuda/linear/linear_runner.h"
#include "tests/kernels/cuda/rowwise/gpu_memory.h"

namespace dietmt::kernels {
namespace {

ProductMemory product_memory() {
  static const DeviceMemory workspace = device_memory(kProductWorkspaceBytes, 0xff);
  return {workspace.get(), kProductWorkspaceBytes, nullptr};
}

}  // namespace

bool run_linear_here(const DeviceLinear& call) {
  const bool done = linear_cuda(call, product_memory());
  require_cuda(cudaDeviceSynchronize(), "a linear layer");
  return done;
}

void run_linear_here(const DeviceLinearBackward& call) {
  static const DeviceMemory tickets = device_memory(kTicketCount * sizeof(uint32_t), 0);
  const DeviceMemory partial =
      device_memory(static_cast<size_t>(bias_partial_numbers(call)) * sizeof(float), 0xff);
  linear_backward_cuda(call, product_memory(),
                       {static_cast<float*>(partial.get()), static_cast<uint32_t*>(tickets.get())});
  require_cuda(cudaDeviceSynchronize(), "the gradients of a linear layer");
}

}  // namespace dietmt::kernels
