#include "tests/counting_device/fused_kernels.h"

#include <vector>

#include "tests/counting_device/recording.h"

namespace dietmt::counting {
namespace {

/// A call is passed by value, as to a kernel of CUDA.
template <auto kKernel, typename Call>
void run(const Call& call) {
  do_and_record([call] { kKernel(call); });
}

bool run_linear(const kernels::DeviceLinear& call) {
  const bool done = linear(call);
  if (is_recording()) record_call([call] { linear(call); });
  return done;
}

void run_step_attention(const kernels::DeviceStepAttention& call) {
  const float* const scale = call.terms.content_scale;
  do_and_record([call, scale = std::vector<float>(scale, scale + call.heads)] {
    kernels::DeviceStepAttention own = call;
    own.terms.content_scale = scale.data();
    step_attention(own);
  });
}

/// These read lengths in host memory, because they are the kernels of the CPU.
template <auto kKernel, typename Call>
void run_at_once(const Call& call) {
  require_no_recording("contain attention over packed sentences");
  kKernel(call);
}

}  // namespace

const kernels::DeviceKernels& fused_kernels() {
  static const kernels::DeviceKernels kernels = {
      .reasons_against_attention = reasons_against_attention,
      .attention_forward = run_at_once<attention_forward, kernels::AttentionForward>,
      .attention_backward = run_at_once<attention_backward, kernels::AttentionBackward>,
      .add_norm = run<add_norm, kernels::DeviceAddNorm>,
      .add_norm_backward = run<add_norm_backward, kernels::DeviceAddNormBackward>,
      .activate = run<activate, kernels::DeviceActivate>,
      .activate_backward = run<activate_backward, kernels::DeviceActivateBackward>,
      .column_sums = run<column_sums, kernels::DeviceColumnSums>,
      .embed = run<embed, kernels::DeviceEmbed>,
      .embed_backward = run<embed_backward, kernels::DeviceEmbedBackward>,
      .cross_entropy = run<cross_entropy, kernels::DeviceCrossEntropy>,
      .rotate = run<rotate, kernels::DeviceRotate>,
      .linear = run_linear,
      .linear_backward = run<linear_backward, kernels::DeviceLinearBackward>,
      .step_attention = run_step_attention,
      .beam_step = run<beam_step, kernels::DeviceBeamStep>};
  return kernels;
}

}  // namespace dietmt::counting
