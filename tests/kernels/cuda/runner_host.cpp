#include "kernels/cuda/attention_instance.cuh"
#include "tests/kernels/cuda/host_launcher.h"
#include "tests/kernels/cuda/runner.h"

namespace dietmt::kernels {
namespace {

template <typename E, int kWidth, TermClass kTerms>
struct HostInstance {
  static void run(const AttentionBackward& call, HostLauncher& launcher,
                  const BackwardLimits& limits) {
    NanWorkspace forward(plan_forward(call.forward, nullptr).workspace_bytes);
    run_attention_forward<E, kWidth, kTerms>(call.forward, forward.start(), launcher);
    NanWorkspace backward(plan_backward(call, nullptr, limits).workspace_bytes);
    run_attention_backward<E, kWidth, kTerms>(call, backward.start(), launcher, limits);
  }
};

}  // namespace

HostLauncher run_attention_on_host(const AttentionBackward& call, const HostSchedule& schedule,
                                   const BackwardLimits& limits) {
  HostLauncher launcher{schedule};
  with_instance<HostInstance>(call.forward,
                              [&](auto instance) { instance.run(call, launcher, limits); });
  return launcher;
}

std::string reason_not_to_run(const AttentionForward&) { return {}; }

void run_attention(const AttentionBackward& call) { run_attention_on_host(call, {}, {}); }

}  // namespace dietmt::kernels
