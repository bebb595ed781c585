#include "kernels/cuda/step/beam_step.cuh"
#include "kernels/cuda/step/step_attention.cuh"
#include "tests/kernels/cuda/step_runner.h"

namespace dietmt::kernels {
namespace {

struct StepLauncher {
  HostSchedule schedule;

  template <typename Block>
  void launch(BlockIndex grid, const typename Block::Arguments& arguments) {
    run_on_host(
        grid, Block::shared_bytes(arguments), schedule,
        [&](BlockIndex block, char* shared) { Block::run(arguments, block, shared); },
        block_threads<Block>());
  }
};

HostSchedule schedule_of(uint64_t order) {
  if (order == 0) return {};
  return {.workers = 2, .order = order};
}

}  // namespace

const double kStepTolerance = 2e-6;

void run_step_here(const DeviceStepAttention& call, uint64_t order) {
  StepLauncher launcher{schedule_of(order)};
  step_attention_on(launcher, call);
}

void run_step_here(const DeviceBeamStep& call, uint64_t order) {
  StepLauncher launcher{schedule_of(order)};
  beam_step_on(launcher, call);
}

}  // namespace dietmt::kernels
