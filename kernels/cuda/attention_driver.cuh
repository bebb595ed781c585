// The sequence of kernels of each pass, for a `launcher` with launch<Block>(grid, arguments) and
// zero(start, bytes): the device's stream, or the fibres of the tests.
#pragma once

#include "kernels/cuda/attention_backward.cuh"
#include "kernels/cuda/attention_forward.cuh"
#include "kernels/cuda/attention_plan.h"
#include "kernels/cuda/reduce_tables.cuh"

namespace dietmt::kernels {

template <typename E, int kWidth, typename Launcher>
void run_attention_forward(const AttentionForward& call, Launcher& launcher) {
  launcher.template launch<AttentionForwardBlock<E, kWidth>>(forward_grid(call.sizes), call);
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
