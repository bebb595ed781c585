// kernels/attention.h by wgmma and TMA, on devices of compute capability 9.0, for calls without
// score terms or with a bias of each offset; everything else is kernels/cuda/attention_cuda.h. The
// attention backend `auto` tries them first. Results are the same bits in every run.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/attention.h"

namespace dietmt::kernels {

/// Why the kernels cannot run a call; empty if they can.
std::vector<std::string> reasons_against_warpgroup_cuda(const AttentionForward& call);

/// As attention_forward_cuda() and attention_backward_cuda(); forward needs no workspace. They also
/// need query_rows and key_rows of the call, and the rows of grad_output at 16 bytes.
void warpgroup_forward_cuda(const AttentionForward& call, void* stream);
void warpgroup_backward_cuda(const AttentionBackward& call, void* workspace, void* stream);
size_t warpgroup_workspace_cuda(const AttentionBackward& call);

}  // namespace dietmt::kernels
