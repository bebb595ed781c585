// The fused kernels of kernels/device_kernels.h for the counting device: loops over the mirror that
// count what CUDA's kernels launch.
#pragma once

#include "kernels/device_kernels.h"

namespace dietmt::counting {

const kernels::DeviceKernels& fused_kernels();

// Parts of the table.
std::vector<std::string> reasons_against_attention(const kernels::AttentionForward& call);
void attention_forward(const kernels::AttentionForward& call);
void attention_backward(const kernels::AttentionBackward& call);
void add_norm(const kernels::AddNorm& call);
void add_norm_backward(const kernels::AddNormBackward& call);
void activate(const kernels::Activate& call);
void activate_backward(const kernels::ActivateBackward& call);
void column_sums(const kernels::DeviceColumnSums& call);
void embed(const kernels::DeviceEmbed& call);
void embed_backward(const kernels::DeviceEmbedBackward& call);
void cross_entropy(const kernels::DeviceCrossEntropy& call);
void rotate(const kernels::Rotate& call);
bool linear(const kernels::DeviceLinear& call);
void linear_backward(const kernels::DeviceLinearBackward& call);
void step_attention(const kernels::DeviceStepAttention& call);
void beam_step(const kernels::DeviceBeamStep& call);

}  // namespace dietmt::counting
