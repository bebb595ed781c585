// What the forward kernel of sm_90a gets besides a call.
#pragma once

#include <string>
#include <vector>

#include "kernels/cuda/attention_plan.h"
#include "kernels/cuda/sm90/tensor_map.h"

namespace dietmt::kernels {

constexpr int kKeyColumns = 64;  // keys of a tile

struct WarpgroupForwardArguments {
  ForwardArguments forward;
  TensorMap queries;  // boxes of kRows tokens and 64 elements of a head
  TensorMap keys;     // of kKeyColumns tokens
  TensorMap values;   // the same
};

/// Why the kernel cannot run a call on any device; empty if it can.
std::vector<std::string> reasons_against_warpgroup_forward(const AttentionForward& call);

WarpgroupForwardArguments plan_warpgroup_forward(const AttentionForward& call);

}  // namespace dietmt::kernels
