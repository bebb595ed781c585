// Which functions of a device's table `hopper` attention calls.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <vector>

#include "encoders/attention/attention.h"
#include "tests/counting_device/counting_device.h"
#include "tests/counting_device/fused_kernels.h"

namespace dietmt::counting {
namespace {

using at::Tensor;

struct Calls {
  int64_t forward = 0, backward = 0;
};
Calls calls_by_warpgroups;

/// The table of the counting device with functions for warpgroups.
kernels::DeviceKernels hopper_kernels() {
  calls_by_warpgroups = {};
  kernels::DeviceKernels kernels = fused_kernels();
  kernels.reasons_against_warpgroup_attention = kernels.reasons_against_attention;
  kernels.warpgroup_attention_forward = [](const kernels::AttentionForward& call) {
    ++calls_by_warpgroups.forward;
    fused_kernels().attention_forward(call);
  };
  kernels.warpgroup_attention_backward = [](const kernels::AttentionBackward& call) {
    ++calls_by_warpgroups.backward;
    fused_kernels().attention_backward(call);
  };
  return kernels;
}

/// Output and the gradient of the queries.
std::vector<Tensor> attend_by(encoders::Backend backend, at::Device device) {
  const encoders::Packing packing({5, 3, 9}, device);
  encoders::ScoreTerms terms;
  terms.content_scale = {0.3};
  const auto leaf = [&](double shift) {
    return at::arange(17 * 2 * 8, at::kFloat).add(shift).sin().view({17, 2, 8}).to(device);
  };
  const Tensor queries = leaf(0.0).requires_grad_(true);
  const encoders::AttentionCall call{queries, leaf(1.0), leaf(2.0), packing, packing, terms};
  const Tensor output = encoders::attend(call, backend);
  output.square().sum().backward();
  return {output.detach().cpu(), queries.grad().cpu()};
}

void expect_same(const std::vector<Tensor>& found) {
  const auto wanted = attend_by(encoders::Backend::kAuto, at::kCPU);
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_TRUE(at::allclose(found[i], wanted[i], 1e-4, 1e-5)) << i;
}

TEST(HopperChoice, TrainsWithItsOwnFunctions) {
  const kernels::DeviceKernels kernels = hopper_kernels();
  const OtherKernels other(kernels);
  expect_same(attend_by(encoders::Backend::kHopper, counting_device()));
  EXPECT_EQ(calls_by_warpgroups.forward, 1);
  EXPECT_EQ(calls_by_warpgroups.backward, 1);
}

TEST(HopperChoice, FallsBackToTheUsualBackwardPass) {
  kernels::DeviceKernels kernels = hopper_kernels();
  kernels.warpgroup_attention_backward = nullptr;
  const OtherKernels other(kernels);
  expect_same(attend_by(encoders::Backend::kHopper, counting_device()));
  EXPECT_EQ(calls_by_warpgroups.forward, 1);
}

TEST(HopperChoice, AutoTakesTheUsualFunctions) {
  const kernels::DeviceKernels kernels = hopper_kernels();
  const OtherKernels other(kernels);
  expect_same(attend_by(encoders::Backend::kAuto, counting_device()));
  EXPECT_EQ(calls_by_warpgroups.forward, 0);
  EXPECT_EQ(calls_by_warpgroups.backward, 0);
}

}  // namespace
}  // namespace dietmt::counting
