// The forward pass of kernels/attention.h by wgmma and TMA, on devices of compute capability 9.0,
// for calls without score terms or with a bias of each offset. Everything else, and the backward
// pass, is kernels/cuda/attention_cuda.h. Not measured yet, so nothing chooses it by itself.
#pragma once

#include <string>
#include <vector>

#include "kernels/attention.h"

namespace dietmt::kernels {

/// Why the kernel cannot run a call; empty if it can.
std::vector<std::string> reasons_against_warpgroup_cuda(const AttentionForward& call);

/// As attention_forward_cuda(), without a workspace. Reads the last of the call's query_offsets and
/// key_offsets in host memory: there is no token after it.
void warpgroup_forward_cuda(const AttentionForward& call, void* stream);

}  // namespace dietmt::kernels
