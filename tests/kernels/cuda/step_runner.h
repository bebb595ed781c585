// Where the cases of the kernels of a decoding step run: on the host (step_runner_host.cpp) or on a
// GPU (step_runner_gpu.cpp). Each test program links one of them.
#pragma once

#include "kernels/device_kernels.h"
#include "tests/kernels/cuda/rowwise/row_tensor.h"

namespace dietmt::kernels {

/// Run a call; the results are there when they return. `order`: in which the host runs the threads
/// of a block, and two blocks side by side; 0: one after another.
void run_step_here(const DeviceStepAttention& call, uint64_t order);
void run_step_here(const DeviceBeamStep& call, uint64_t order);

/// Of outputs of attention in fp32, whose scores reach 12: the exp2 of a GPU is less exact than the
/// host's.
extern const double kStepTolerance;

/// A test or a test of a parameter, skipped where the cases cannot run.
template <typename Test>
class StepTest : public Test {
 protected:
  void SetUp() override {
    const std::string reason = reason_not_to_run();
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
};

}  // namespace dietmt::kernels
