#include "kernels/cuda/step/step_cuda.h"
#include "tests/kernels/cuda/rowwise/gpu_memory.h"
#include "tests/kernels/cuda/step_runner.h"

namespace dietmt::kernels {

const double kStepTolerance = 5e-6;

void run_step_here(const DeviceStepAttention& call, uint64_t /*order*/) {
  step_attention_cuda(call, nullptr);
  require_cuda(cudaDeviceSynchronize(), "attention of a decoding step");
}

void run_step_here(const DeviceBeamStep& call, uint64_t /*order*/) {
  beam_step_cuda(call, nullptr);
  require_cuda(cudaDeviceSynchronize(), "the choice of beam search");
}

}  // namespace dietmt::kernels
