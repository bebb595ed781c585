// Arguments of the sm_90a kernels in addition to a call.
#pragma once

#include <string>
#include <vector>

#include "kernels/cuda/attention_plan.h"
#include "kernels/cuda/sm90/tensor_map.h"

namespace dietmt::kernels {

constexpr int kTileTokens = 64;  // of a box, and columns of a tile of scores
constexpr int kBoxWidth = 64;    // elements

/// The maps have boxes of kTileTokens tokens and kBoxWidth elements of a head.
struct WarpgroupForwardArguments {
  ForwardArguments forward;
  TensorMap queries;
  TensorMap keys;
  TensorMap values;
};

struct WarpgroupBackwardArguments {
  BackwardArguments backward;
  TensorMap queries;
  TensorMap keys;
  TensorMap values;
  TensorMap grad_output;
};

struct WarpgroupBackwardPlan {
  WarpgroupBackwardArguments arguments;
  PrepareArguments prepare;
  ReduceArguments reduce;
  size_t workspace_bytes = 0;
};

/// As a map needs them: each row at 16 bytes.
bool has_aligned_rows(const HeadRows& rows);

/// Why the kernels cannot run a call on any device; empty if they can.
std::vector<std::string> reasons_against_warpgroups(const AttentionForward& call);

WarpgroupForwardArguments plan_warpgroup_forward(const AttentionForward& call);

/// As plan_backward(); with a null workspace only the size is right, and there are no maps.
WarpgroupBackwardPlan plan_warpgroup_backward(const AttentionBackward& call, char* workspace,
                                              const BackwardLimits& limits = {});

/// Blocks of queries, then those of keys, and of values if `split_keys`.
BlockIndex warpgroup_backward_grid(const BackwardArguments& arguments, bool split_keys);

namespace detail {
template <typename E, template <typename, int, TermClass> typename Instance, typename Run>
void with_warpgroup_width(const AttentionForward& call, const Run& run) {
  const bool plain = term_class(call.terms.tables) == TermClass::kPlain;
  if (kernel_width(call.sizes.head_width) == 64) {
    return plain ? run(Instance<E, 64, TermClass::kPlain>())
                 : run(Instance<E, 64, TermClass::kOffsetBias>());
  }
  plain ? run(Instance<E, 128, TermClass::kPlain>())
        : run(Instance<E, 128, TermClass::kOffsetBias>());
}
}  // namespace detail

/// run(Instance<E, width, terms>()) of a call without reasons_against_warpgroups().
template <template <typename, int, TermClass> typename Instance, typename Run>
void with_warpgroup_instance(const AttentionForward& call, const Run& run) {
  if (call.sizes.type == ElementType::kHalf) {
    return detail::with_warpgroup_width<Half, Instance>(call, run);
  }
  detail::with_warpgroup_width<BFloat16, Instance>(call, run);
}

}  // namespace dietmt::kernels
