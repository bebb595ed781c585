// The sequence of kernels of each pass, for a `launcher` as in kernels/cuda/attention_driver.cuh.
#pragma once

#include "kernels/cuda/preparation.cuh"
#include "kernels/cuda/sm90/attention_backward.cuh"
#include "kernels/cuda/sm90/attention_forward.cuh"
#include "kernels/cuda/table_reduction.cuh"

namespace dietmt::kernels {

template <typename E, int kWidth, TermClass kTerms, typename Launcher>
void run_warpgroup_forward(const AttentionForward& call, Launcher& launcher) {
  const WarpgroupForwardArguments arguments = plan_warpgroup_forward(call);
  launcher.template launch<WarpgroupForwardBlock<E, kWidth, kTerms>>(
      forward_grid(arguments.forward), arguments);
}

template <typename E, int kWidth, TermClass kTerms, typename Launcher>
void run_warpgroup_backward(const AttentionBackward& call, char* workspace, Launcher& launcher,
                            const BackwardLimits& limits = {}) {
  using Block = WarpgroupBackwardBlock<E, kWidth, kTerms>;
  const WarpgroupBackwardPlan plan = plan_warpgroup_backward(call, workspace, limits);
  launcher.template launch<PrepareBlock<E, kWidth>>(prepare_grid(plan.prepare), plan.prepare);
  launcher.template launch<Block>(
      warpgroup_backward_grid(plan.arguments.backward, Block::kSplitKeys), plan.arguments);
  launcher.template launch<ReduceTablesBlock>(reduce_grid(plan.reduce), plan.reduce);
}

}  // namespace dietmt::kernels
