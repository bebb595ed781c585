#include "kernels/cuda/device_launcher.cuh"
#include "kernels/cuda/sm90/attention_cuda.h"
#include "kernels/cuda/sm90/attention_driver.cuh"

namespace dietmt::kernels {
namespace {

template <typename E, int kWidth, TermClass kTerms>
struct ForwardInstance {
  static void run(const AttentionForward& call, DeviceLauncher& launcher) {
    run_warpgroup_forward<E, kWidth, kTerms>(call, launcher);
  }
};

/// 9.0 is 90; 0 if no device is there.
int compute_capability() {
  int device = 0;
  int major = 0;
  int minor = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess) {
    return 0;
  }
  return 10 * major + minor;
}

}  // namespace

std::vector<std::string> reasons_against_warpgroup_cuda(const AttentionForward& call) {
  std::vector<std::string> reasons = reasons_against_warpgroups(call);
  static const bool has_driver = can_encode_tensor_maps();
  if (compute_capability() != 90) {
    reasons.push_back("the device does not have compute capability 9.0");
  } else if (!has_driver) {
    reasons.push_back("the CUDA driver is older than 12.0");
  }
  return reasons;
}

void warpgroup_forward_cuda(const AttentionForward& call, void* stream) {
  const auto reasons = reasons_against_warpgroup_cuda(call);
  if (!reasons.empty()) throw Error("attention by wgmma cannot run: " + reasons.front());
  DeviceLauncher launcher(stream);
  with_warpgroup_instance<ForwardInstance>(call,
                                           [&](auto instance) { instance.run(call, launcher); });
}

}  // namespace dietmt::kernels
