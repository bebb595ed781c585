// Where the decoding step kernel cases run: on the host (step_runner_host.cpp) or on a GPU
// (step_runner_gpu.cpp). Each test program links one of them.
#pragma once

#include "kernels/device_kernels.h"
#include "tests/kernels/cuda/rowwise/row_tensor.h"

namespace dietmt::kernels {

/// Run a call; the results are complete on return. `order`: in which the host runs the threads of a
/// block, with two blocks interleaved; 0: one after another.
void run_step_here(const DeviceStepAttention& call, uint64_t order);
void run_step_here(const DeviceBeamStep& call, uint64_t order);

/// For fp32 attention outputs with scores up to 12: a GPU's exp2 is less exact than the host's.
extern const double kStepTolerance;

/// A test or parameterised test, skipped if the cases cannot run.
template <typename Test>
class StepTest : public Test {
 protected:
  void SetUp() override {
    const std::string reason = reason_not_to_run();
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
};

}  // namespace dietmt::kernels
