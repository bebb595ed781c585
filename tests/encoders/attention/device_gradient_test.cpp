// How attention on a device handles gradients whose rows are not 16-byte aligned. Uses the counting
// device, whose kernels would accept them.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include "encoders/attention/attention.h"
#include "tests/counting_device/counting_device.h"
#include "tests/counting_device/fused_kernels.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;

const std::vector<int64_t> kLengths = {5, 3, 9};
constexpr int64_t kTokens = 17, kHeads = 2, kWidth = 8;

struct SeenCalls {
  int64_t all = 0;
  int64_t aligned = 0;
} seen;

bool begins_at_16_bytes(const kernels::HeadRows& rows) {
  return reinterpret_cast<uintptr_t>(rows.data) % 16 == 0 &&
         rows.token_stride * int64_t{sizeof(float)} % 16 == 0;
}

kernels::DeviceKernels kernels_that_look() {
  kernels::DeviceKernels kernels = counting::fused_kernels();
  kernels.attention_backward = [](const kernels::AttentionBackward& call) {
    ++seen.all;
    seen.aligned += begins_at_16_bytes(call.grad_output);
    counting::attention_backward(call);
  };
  return kernels;
}

Tensor numbers(double shift, int64_t count) {
  return at::arange(count, at::kFloat).add(shift).sin();
}

/// The gradient of the queries, given a gradient of the output that `view` selects from memory.
template <typename View>
Tensor query_gradient(at::Device device, View view) {
  const Packing packing(kLengths, device);
  ScoreTerms terms;
  terms.content_scale = {0.3};
  const auto leaf = [&](double shift) {
    return numbers(shift, kTokens * kHeads * kWidth).view({kTokens, kHeads, kWidth}).to(device);
  };
  const Tensor queries = leaf(0.0).requires_grad_(true);
  const Tensor output =
      attend({queries, leaf(1.0), leaf(2.0), packing, packing, terms}, Backend::kAuto);
  const Tensor gradient = view(numbers(3.0, 2 * kTokens * kHeads * kWidth).to(device));
  return torch::autograd::grad({output}, {queries}, {gradient})[0].cpu();
}

TEST(DeviceGradientTest, RowsThatTheKernelsCannotReadAreCopied) {
  const auto shifted = [](const Tensor& memory) {
    return memory.narrow(0, 1, kTokens * kHeads * kWidth).view({kTokens, kHeads, kWidth});
  };
  const auto odd_stride = [](const Tensor& memory) {
    constexpr int64_t kStride = kHeads * kWidth + 1;
    return memory.as_strided({kTokens, kHeads, kWidth}, {kStride, kWidth, 1});
  };
  const kernels::DeviceKernels kernels = kernels_that_look();
  const counting::OtherKernels other(kernels);
  const auto expect_aligned = [](auto view) {
    seen = {};
    const Tensor found = query_gradient(counting::counting_device(), view);
    EXPECT_EQ(seen.all, 1);
    EXPECT_EQ(seen.aligned, 1);
    EXPECT_TRUE(at::allclose(found, query_gradient(at::kCPU, view), 1e-4, 1e-5));
  };
  expect_aligned(shifted);
  expect_aligned(odd_stride);
}

}  // namespace
}  // namespace dietmt::encoders
