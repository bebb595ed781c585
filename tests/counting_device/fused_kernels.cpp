#include "tests/counting_device/fused_kernels.h"

#include <vector>

#include "tests/counting_device/recording.h"

namespace dietmt::counting {
namespace {

/// Calls are passed by value, as to a CUDA kernel.
template <auto kKernel, typename Call>
void run(const Call& call) {
  do_and_record([call] { kKernel(call); });
}

bool run_linear(const kernels::DeviceLinear& call) {
  const bool done = linear(call);
  if (is_recording()) record_call([call] { linear(call); });
  return done;
}

/// content_scale, which is in host memory.
struct HostScale {
  const float*& data;
  int64_t heads;
};
HostScale scale_of(kernels::DeviceStepAttention& call) {
  return {call.terms.content_scale, call.heads};
}
HostScale scale_of(kernels::AttentionForward& call) {
  return {call.terms.content_scale, call.sizes.heads};
}
HostScale scale_of(kernels::AttentionBackward& call) { return scale_of(call.forward); }

/// The scale is also passed by value.
template <auto kKernel, typename Call>
void run_attention(const Call& given) {
  Call call = given;
  const auto [scale, heads] = scale_of(call);
  do_and_record([call, own_scale = std::vector<float>(scale, scale + heads)] {
    Call own = call;
    scale_of(own).data = own_scale.data();
    kKernel(own);
  });
}

}  // namespace

const kernels::DeviceKernels& fused_kernels() {
  static const kernels::DeviceKernels kernels = {
      .reasons_against_attention = reasons_against_attention,
      .attention_forward = run_attention<attention_forward, kernels::AttentionForward>,
      .attention_backward = run_attention<attention_backward, kernels::AttentionBackward>,
      .add_norm = run<add_norm, kernels::AddNorm>,
      .add_norm_backward = run<add_norm_backward, kernels::AddNormBackward>,
      .activate = run<activate, kernels::Activate>,
      .activate_backward = run<activate_backward, kernels::ActivateBackward>,
      .column_sums = run<column_sums, kernels::DeviceColumnSums>,
      .embed = run<embed, kernels::DeviceEmbed>,
      .embed_backward = run<embed_backward, kernels::DeviceEmbedBackward>,
      .cross_entropy = run<cross_entropy, kernels::DeviceCrossEntropy>,
      .rotate = run<rotate, kernels::Rotate>,
      .linear = run_linear,
      .linear_backward = run<linear_backward, kernels::DeviceLinearBackward>,
      .step_attention = run_attention<step_attention, kernels::DeviceStepAttention>,
      .beam_step = run<beam_step, kernels::DeviceBeamStep>};
  return kernels;
}

}  // namespace dietmt::counting
