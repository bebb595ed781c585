// The sequence of kernels of each pass, for a `launcher` with launch<Block>(grid, arguments) and
// zero(start, bytes): the device's stream, or the fibres of the tests.
#pragma once

#include "kernels/cuda/attention_backward.cuh"
#include "kernels/cuda/attention_forward.cuh"
#include "kernels/cuda/attention_plan.h"

namespace dietmt::kernels {

/// Adds the partial sums of a table's gradient (table_gradients.cuh) in a fixed order. Grid:
/// inner / kThreads, 1 if shared, else heads.
struct ReduceTableBlock {
  using Arguments = ReduceArguments;

  DIETMT_HOST_DEVICE static int64_t shared_bytes(const ReduceArguments&) { return 0; }

  DIETMT_DEVICE static void run(const ReduceArguments& arguments, BlockIndex block, char*) {
    const int64_t entry = int64_t{block.x} * kThreads + thread_index();
    if (entry >= arguments.inner) return;
    const int64_t slots = arguments.shared ? arguments.outer * arguments.heads : arguments.outer;
    const int64_t step = (arguments.shared ? 1 : arguments.heads) * arguments.inner;
    const float* from = arguments.partial + block.y * arguments.inner + entry;
    float sum = 0.0f;
    for (int64_t slot = 0; slot < slots; ++slot) sum += from[slot * step];
    arguments.grad[block.y * arguments.inner + entry] += sum;
  }
};

template <typename E, int kWidth, typename Launcher>
void run_attention_forward(const AttentionForward& call, Launcher& launcher) {
  launcher.template launch<AttentionForwardBlock<E, kWidth>>(forward_grid(call.sizes),
                                                             {call, scales_of(call)});
}

template <typename E, int kWidth, typename Launcher>
void run_attention_backward(const AttentionBackward& call, char* workspace, Launcher& launcher,
                            const BackwardLimits& limits = {}) {
  const BackwardPlan plan = plan_backward(call, workspace, limits);
  launcher.zero(workspace, plan.zeroed_bytes);
  launcher.template launch<AttentionBackwardQueriesBlock<E, kWidth>>(
      backward_grid(plan.arguments.query_split, call.forward.sizes), plan.arguments);
  launcher.template launch<AttentionBackwardKeysBlock<E, kWidth>>(
      backward_grid(plan.arguments.key_split, call.forward.sizes), plan.arguments);
  for (const ReduceArguments& reduction : plan.reductions) {
    launcher.template launch<ReduceTableBlock>(reduce_grid(reduction), reduction);
  }
}

}  // namespace dietmt::kernels
