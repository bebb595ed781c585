#include "kernels/cuda/rowwise/rowwise_cuda.h"
#include "tests/kernels/cuda/rowwise/gpu_memory.h"
#include "tests/kernels/cuda/rowwise/row_runner.h"

namespace dietmt::kernels {
namespace {

template <typename Call, typename Run>
void run_with_memory(const Call& call, const Run& run) {
  static const DeviceMemory tickets = device_memory(kTicketCount * sizeof(uint32_t), 0);
  const DeviceMemory partial =
      device_memory(static_cast<size_t>(partial_numbers(call)) * sizeof(float), 0xff);
  run(call, RowMemory{static_cast<float*>(partial.get()), static_cast<uint32_t*>(tickets.get())},
      nullptr);
  require_cuda(cudaDeviceSynchronize(), "a row kernel");
}

template <typename Call, typename Run>
void run_plainly(const Call& call, const Run& run) {
  run(call, nullptr);
  require_cuda(cudaDeviceSynchronize(), "a row kernel");
}

}  // namespace

void run_rows_here(const AddNorm& call) { run_plainly(call, add_norm_cuda); }
void run_rows_here(const Activate& call) { run_plainly(call, activate_cuda); }
void run_rows_here(const DeviceEmbed& call) { run_plainly(call, embed_cuda); }
void run_rows_here(const DeviceCrossEntropy& call) { run_plainly(call, cross_entropy_cuda); }
void run_rows_here(const Rotate& call) { run_plainly(call, rotate_cuda); }

void run_rows_here(const AddNormBackward& call) { run_with_memory(call, add_norm_backward_cuda); }

void run_rows_here(const DeviceEmbedBackward& call) { run_with_memory(call, embed_backward_cuda); }

void run_rows_here(const ActivateBackward& call) { run_with_memory(call, activate_backward_cuda); }

void run_rows_here(const DeviceColumnSums& call) {
  run_with_memory(call, [](const DeviceColumnSums& sums, const RowMemory& memory, void* stream) {
    column_sums_cuda(sums, memory, stream);
  });
}

}  // namespace dietmt::kernels
