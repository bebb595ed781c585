#include "kernels/cuda/device_launcher.cuh"
#include "kernels/cuda/sm90/attention_cuda.h"
#include "kernels/cuda/sm90/attention_driver.cuh"

namespace dietmt::kernels {
namespace {

template <typename E, int kWidth, TermClass kTerms>
struct BackwardInstance {
  static void run(const AttentionBackward& call, void* workspace, DeviceLauncher& launcher) {
    run_warpgroup_backward<E, kWidth, kTerms>(call, static_cast<char*>(workspace), launcher);
  }
};

}  // namespace

void warpgroup_backward_cuda(const AttentionBackward& call, void* workspace, void* stream) {
  auto reasons = reasons_against_warpgroup_cuda(call.forward);
  if (!has_aligned_rows(call.grad_output)) {
    reasons.push_back("the rows of grad_output do not begin at 16 bytes");
  }
  if (!reasons.empty()) throw Error("attention by wgmma cannot run: " + reasons.front());
  DeviceLauncher launcher(stream);
  with_warpgroup_instance<BackwardInstance>(
      call.forward, [&](auto instance) { instance.run(call, workspace, launcher); });
}

size_t warpgroup_workspace_cuda(const AttentionBackward& call) {
  return plan_warpgroup_backward(call, nullptr).workspace_bytes;
}

}  // namespace dietmt::kernels
