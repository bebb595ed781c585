// How the blocks of a kernel divide an attention call, and where each part of a pass's workspace
// lies. Both depend only on the call, never on the device, so results do not either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cuda/attention_arguments.h"
#include "kernels/cuda/elements.h"

namespace dietmt::kernels {

/// Bounds of the backward pass where tables have gradients: enough blocks for the largest devices,
/// few enough for the memory of their partial sums.
struct BackwardLimits {
  int64_t blocks = 512;
  int64_t partial_bytes = int64_t{256} << 20;
  int64_t groups = 1;  // of a block's threads that have partial sums of their own
};

/// The width of the kernels that run a head width: 32, 64, 96 or 128, for fp32 64 or 128, which
/// cost less to compile; 0 if there are none.
int kernel_width(int64_t head_width, ElementType type = ElementType::kBFloat16);

struct ForwardPlan {
  ForwardArguments arguments;
  PrepareArguments prepare;
  size_t workspace_bytes = 0;
};

template <typename E>
constexpr ElementType kElementType = kIsFloat<E>               ? ElementType::kFloat
                                     : std::is_same_v<E, Half> ? ElementType::kHalf
                                                               : ElementType::kBFloat16;

/// Whether there is a backward kernel of a single pass (backward_keys_of_tile.cuh).
constexpr bool has_single_pass(ElementType type, TermClass terms, int width) {
  return type == ElementType::kBFloat16 && width <= 64 &&
         (terms == TermClass::kPlain || terms == TermClass::kOffsetBias);
}

struct BackwardPlan {
  BackwardArguments arguments;
  bool single_pass = false;  // of blocks that have all queries of their sentences
  PrepareArguments prepare;
  ReduceArguments reduce;
  size_t workspace_bytes = 0;
};

/// With a null workspace the pointers are meaningless and the sizes right.
ForwardPlan plan_forward(const AttentionForward& call, char* workspace);
BackwardPlan plan_backward(const AttentionBackward& call, char* workspace,
                           const BackwardLimits& limits = {});

BlockIndex prepare_grid(const PrepareArguments& arguments);

/// Blocks of all heads for one tile after the other, so that the longest sentences begin first.
BlockIndex forward_grid(const ForwardArguments& arguments);

BlockIndex single_pass_grid(const BackwardArguments& arguments);

/// `halves` of the columns and, if `split_keys`, keys and values have separate blocks.
BlockIndex backward_grid(const BackwardArguments& arguments, int halves, bool split_keys);

BlockIndex reduce_grid(const ReduceArguments& arguments);

DIETMT_HOST_DEVICE int64_t reduction_blocks(const TableReduction& reduction, int64_t heads) {
  return (reduction.inner + kThreads - 1) / kThreads * (reduction.shared ? 1 : heads);
}

}  // namespace dietmt::kernels
