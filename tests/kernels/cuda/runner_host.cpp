#include <cstdlib>
#include <memory>

#include "tests/kernels/cuda/host_launcher.h"
#include "tests/kernels/cuda/runner.h"

namespace dietmt::kernels {
namespace {

template <typename E, int kWidth>
void run(const AttentionBackward& call, HostLauncher& launcher, const BackwardLimits& limits) {
  std::vector<float> workspace(plan_backward(call, nullptr, limits).workspace_bytes /
                               sizeof(float));
  std::memset(workspace.data(), 0xff, workspace.size() * sizeof(float));
  auto* start = reinterpret_cast<char*>(workspace.data());
  run_attention_forward<E, kWidth>(call.forward, launcher);
  run_attention_backward<E, kWidth>(call, start, launcher, limits);
}

template <typename E>
void run_width(const AttentionBackward& call, HostLauncher& launcher,
               const BackwardLimits& limits) {
  switch (call.forward.sizes.head_width) {
    case 32:
      return run<E, 32>(call, launcher, limits);
    case 64:
      return run<E, 64>(call, launcher, limits);
    case 96:
      return run<E, 96>(call, launcher, limits);
    default:
      return run<E, 128>(call, launcher, limits);
  }
}

}  // namespace

std::string reason_not_to_run() { return {}; }

void* allocate_shared(size_t bytes) {
  static std::vector<std::unique_ptr<void, decltype(&std::free)>> memory;
  const size_t size = (bytes / 256 + 1) * 256;
  memory.emplace_back(std::aligned_alloc(256, size), &std::free);
  std::memset(memory.back().get(), 0, size);
  return memory.back().get();
}

void run_attention_on_host(const AttentionBackward& call, const HostSchedule& schedule,
                           const BackwardLimits& limits) {
  HostLauncher launcher{schedule};
  if (call.forward.sizes.type == ElementType::kHalf) {
    run_width<Half>(call, launcher, limits);
  } else {
    run_width<BFloat16>(call, launcher, limits);
  }
}

void run_attention(const AttentionBackward& call) { run_attention_on_host(call, {}, {}); }

}  // namespace dietmt::kernels
