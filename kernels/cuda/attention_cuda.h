// kernels/attention.h on an NVIDIA GPU of compute capability 8.0 or newer: tensor cores, fp32, bf16
// and fp16 elements with fp32 sums, head widths up to 128. Results are the same bits in every run
// and on every device of one kind: no atomics, and partial sums of the tables' gradients are added
// in a fixed order.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/attention.h"

namespace dietmt::kernels {

/// Why the kernels cannot run a call; empty if they can. Looks at sizes, strides and the addresses
/// of the vectors (16 bytes each), not at their contents.
std::vector<std::string> reasons_against_attention_cuda(const AttentionForward& call);

/// All pointers of a call are on the current device, but content_scale and the offsets of the host;
/// `stream` is a cudaStream_t. `workspace`: attention_workspace_cuda(call) bytes on the device,
/// aligned to 16 bytes, free for other use once the stream has passed. The rows of grad_output
/// begin at 16 bytes, as those of queries do. Throw Error if a kernel cannot be started. The calls
/// return before the work is done.
void attention_forward_cuda(const AttentionForward& call, void* workspace, void* stream);
void attention_backward_cuda(const AttentionBackward& call, void* workspace, void* stream);
size_t attention_workspace_cuda(const AttentionForward& call);
size_t attention_workspace_cuda(const AttentionBackward& call);

}  // namespace dietmt::kernels
