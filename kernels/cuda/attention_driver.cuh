// The sequence of kernels of each pass, for a `launcher` with launch<Block>(grid, arguments): the
// device's stream, or the fibres of the tests.
#pragma once

#include <algorithm>

#include "kernels/cuda/attention_backward.cuh"
#include "kernels/cuda/attention_forward.cuh"
#include "kernels/cuda/attention_plan.h"
#include "kernels/cuda/preparation.cuh"
#include "kernels/cuda/table_reduction.cuh"

namespace dietmt::kernels {

template <typename E, int kWidth, TermClass kTerms, typename Launcher>
void run_attention_forward(const AttentionForward& call, char* workspace, Launcher& launcher) {
  const ForwardPlan plan = plan_forward(call, workspace);
  if constexpr (has_vectors(kTerms)) {
    launcher.template launch<PrepareBlock<E, kWidth>>(prepare_grid(plan.prepare), plan.prepare);
  }
  launcher.template launch<AttentionForwardBlock<E, kWidth, kTerms>>(forward_grid(plan.arguments),
                                                                     plan.arguments);
}

template <typename E, int kWidth, TermClass kTerms, typename Launcher>
void run_attention_backward(const AttentionBackward& call, char* workspace, Launcher& launcher,
                            const BackwardLimits& limits = {}) {
  using Block = AttentionBackwardBlock<E, kWidth, kTerms>;
  const BackwardPlan plan = plan_backward(call, workspace, limits);
  if (!plan.single_pass || plan.prepare.zero_count > 0) {
    launcher.template launch<PrepareBlock<E, kWidth>>(prepare_grid(plan.prepare), plan.prepare);
  }
  if (!plan.single_pass) {
    launcher.template launch<Block>(
        backward_grid(plan.arguments, Block::kHalves, Block::kSplitKeys), plan.arguments);
  } else if constexpr (has_single_pass(kElementType<E>, kTerms, kWidth)) {
    launcher.template launch<SinglePassBackwardBlock<E, kWidth, kTerms>>(
        single_pass_grid(plan.arguments), plan.arguments);
  }
  launcher.template launch<ReduceTablesBlock>(reduce_grid(plan.reduce), plan.reduce);
}

/// Shared memory of a block of either pass, in bytes.
template <typename E, int kWidth, TermClass kTerms>
int64_t largest_shared_memory(const AttentionForward& call) {
  ForwardArguments forward;
  forward.call = call;
  BackwardArguments backward;
  backward.call.forward = call;
  int64_t largest = std::max(AttentionForwardBlock<E, kWidth, kTerms>::shared_bytes(forward),
                             AttentionBackwardBlock<E, kWidth, kTerms>::shared_bytes(backward));
  if constexpr (has_single_pass(kElementType<E>, kTerms, kWidth)) {
    largest = std::max(largest, SinglePassBackwardBlock<E, kWidth, kTerms>::shared_bytes(backward));
  }
  return largest;
}

}  // namespace dietmt::kernels
