// How the blocks of a kernel divide an attention call, and where each part of the backward pass's
// workspace lies. Both depend only on the call, never on the device, so results do not either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cuda/attention_arguments.h"

namespace dietmt::kernels {

/// Bounds of the backward pass where tables have gradients: enough blocks for the largest devices,
/// few enough for the memory of their partial sums.
struct BackwardLimits {
  int64_t blocks = 512;
  int64_t partial_bytes = int64_t{256} << 20;
};

struct BackwardPlan {
  BackwardArguments arguments;
  std::vector<ReduceArguments> reductions;
  size_t zeroed_bytes = 0;     // at the start of the workspace, before the kernels run
  size_t workspace_bytes = 0;  // in all
};

/// With a null workspace the pointers are meaningless and the sizes right.
BackwardPlan plan_backward(const AttentionBackward& call, char* workspace,
                           const BackwardLimits& limits = {});

HeadScales scales_of(const AttentionForward& call);

/// Blocks of one head after the other for each tile, so that the longest sentences begin first.
BlockIndex forward_grid(const AttentionSizes& sizes);
BlockIndex backward_grid(const Split& split, const AttentionSizes& sizes);
BlockIndex reduce_grid(const ReduceArguments& reduction);

}  // namespace dietmt::kernels
