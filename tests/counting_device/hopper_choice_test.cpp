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

/// The counting device's table with functions for warpgroups.
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

using Lengths = std::vector<int64_t>;
const Lengths kLong = {70, 61, 80};

/// The output and the gradient of the queries.
std::vector<Tensor> attend_by(encoders::Backend backend, at::Device device,
                              const Lengths& lengths) {
  const encoders::Packing packing(lengths, device);
  encoders::ScoreTerms terms;
  terms.content_scale = {0.3};
  const auto leaf = [&](double shift) {
    const at::Tensor numbers = at::arange(packing.tokens() * 2 * 8, at::kFloat).add(shift).sin();
    return numbers.view({packing.tokens(), 2, 8}).to(device);
  };
  const Tensor queries = leaf(0.0).requires_grad_(true);
  const encoders::AttentionCall call{queries, leaf(1.0), leaf(2.0), packing, packing, terms};
  const Tensor output = encoders::attend(call, backend);
  output.square().sum().backward();
  return {output.detach().cpu(), queries.grad().cpu()};
}

void expect_those_of_the_cpu(encoders::Backend backend, const Lengths& lengths) {
  const auto found = attend_by(backend, counting_device(), lengths);
  const auto wanted = attend_by(encoders::Backend::kAuto, at::kCPU, lengths);
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_TRUE(at::allclose(found[i], wanted[i], 1e-4, 1e-5)) << i;
}

TEST(HopperChoice, TrainsWithItsOwnFunctions) {
  for (const encoders::Backend backend : {encoders::Backend::kHopper, encoders::Backend::kAuto}) {
    const kernels::DeviceKernels kernels = hopper_kernels();
    const OtherKernels other(kernels);
    expect_those_of_the_cpu(backend, kLong);
    EXPECT_EQ(calls_by_warpgroups.forward, 1);
    EXPECT_EQ(calls_by_warpgroups.backward, 1);
  }
}

TEST(HopperChoice, ShortSentencesTakeTheUsualBackwardPass) {
  const kernels::DeviceKernels kernels = hopper_kernels();
  const OtherKernels other(kernels);
  expect_those_of_the_cpu(encoders::Backend::kHopper, {5});
  EXPECT_EQ(calls_by_warpgroups.forward, 1);
  EXPECT_EQ(calls_by_warpgroups.backward, 0);
}

TEST(HopperChoice, ShortSentencesThatShareATileTakeTheUsualKernels) {
  const kernels::DeviceKernels kernels = hopper_kernels();
  const OtherKernels other(kernels);
  expect_those_of_the_cpu(encoders::Backend::kHopper, {5, 3, 9});
  EXPECT_EQ(calls_by_warpgroups.forward, 0);
  EXPECT_EQ(calls_by_warpgroups.backward, 0);
}

TEST(HopperChoice, FallsBackToTheUsualBackwardPass) {
  kernels::DeviceKernels kernels = hopper_kernels();
  kernels.warpgroup_attention_backward = nullptr;
  const OtherKernels other(kernels);
  expect_those_of_the_cpu(encoders::Backend::kHopper, kLong);
  EXPECT_EQ(calls_by_warpgroups.forward, 1);
}

}  // namespace
}  // namespace dietmt::counting
