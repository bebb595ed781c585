// The cuda backend of attend(). Its kernels are tested on the host in tests/kernels/cuda; this
// tests tensors, streams and autograd around them on a machine with a GPU.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/cuda.h>

#include "encoders/attention/attention.h"
#include "encoders/device/device.h"

namespace dietmt::encoders {
namespace {

TEST(CudaBackendTest, GivesItsReasonAgainstTensorsOnTheCpu) {
  const Packing packing({3, 2});
  ScoreTerms terms;
  terms.content_scale = {0.125};
  const at::Tensor x = at::randn({5, 2, 64}, at::kBFloat16);
  const AttentionCall call{x, x, x, packing, packing, terms};
  EXPECT_EQ(reasons_against(Backend::kCuda, call),
            std::vector<std::string>{"the tensors are not on a CUDA device"});
  EXPECT_EQ(reasons_against(Backend::kHopper, call),
            std::vector<std::string>{"the tensors are not on a CUDA device"});
  EXPECT_EQ(parse_backend("cuda"), Backend::kCuda);
  EXPECT_EQ(parse_backend("hopper"), Backend::kHopper);
}

/// The terms of a call. The hopper backend supports only those without vectors.
enum class Terms { kBias, kBiasAndVectors };

Terms terms_of(Backend backend) {
  return backend == Backend::kHopper ? Terms::kBias : Terms::kBiasAndVectors;
}

/// Output, then gradients of queries, keys, values, offset bias, relative keys and values.
std::vector<at::Tensor> run(Terms wanted, Backend backend, at::Device device, at::ScalarType type) {
  at::manual_seed(3);
  const Packing packing({1, 7, 97, 33}, device);
  std::vector<at::Tensor> leaves;
  const auto leaf = [&](at::IntArrayRef sizes) {
    const at::Tensor rounded = at::randn(sizes, at::kDouble).to(at::kBFloat16);
    leaves.push_back(rounded.to(device, type).requires_grad_(true));
    return leaves.back();
  };
  const at::Tensor queries = leaf({138, 4, 64});
  const at::Tensor keys = leaf({138, 4, 64});
  const at::Tensor values = leaf({138, 4, 64});
  ScoreTerms terms;
  terms.content_scale = {0.125};
  terms.offset_bias = leaf({4, 41});
  if (wanted == Terms::kBiasAndVectors) {
    terms.relative_keys = leaf({1, 33, 64});
    terms.relative_values = leaf({1, 33, 64});
  }
  const AttentionCall call{.queries = queries,
                           .keys = keys,
                           .values = values,
                           .query_packing = packing,
                           .key_packing = packing,
                           .terms = terms,
                           .dropout = DropoutKeys(17).next(0.1)};
  const at::Tensor output = attend(call, backend);
  const at::Tensor weights = at::randn(output.sizes(), at::kDouble).to(at::kBFloat16);
  (output * weights.to(output.options())).sum().backward();
  std::vector<at::Tensor> results = {output.detach()};
  for (const at::Tensor& x : leaves) results.push_back(x.grad());
  for (at::Tensor& result : results) result = result.to(at::kCPU, at::kDouble);
  return results;
}

void expect_twice_the_error_of_the_reference(Backend backend, at::Device device) {
  const auto exact = run(terms_of(backend), Backend::kReference, at::kCPU, at::kDouble);
  const auto plain = run(terms_of(backend), Backend::kReference, device, at::kBFloat16);
  const auto fused = run(terms_of(backend), backend, device, at::kBFloat16);
  for (size_t i = 0; i < exact.size(); ++i) {
    const double allowed = (plain[i] - exact[i]).abs().max().item<double>();
    const double error = (fused[i] - exact[i]).abs().max().item<double>();
    EXPECT_LE(error, 2.0 * allowed + 1e-5) << "result " << i;
  }
}

TEST(CudaBackendTest, StaysWithinTwiceTheErrorOfTheReference) {
  if (cuda_kernels().backend.kernels == nullptr)
    GTEST_SKIP() << "no GPU: " << cuda_kernels().problem;
  if (!torch::cuda::is_available()) GTEST_SKIP() << "no GPU: LibTorch sees none";
  expect_twice_the_error_of_the_reference(Backend::kCuda, at::kCUDA);
}

TEST(CudaBackendTest, HopperStaysWithinTwiceTheErrorOfTheReference) {
  if (cuda_kernels().backend.kernels == nullptr)
    GTEST_SKIP() << "no GPU: " << cuda_kernels().problem;
  if (!torch::cuda::is_available()) GTEST_SKIP() << "no GPU: LibTorch sees none";
  const Packing packing({1}, at::kCUDA);
  ScoreTerms terms;
  terms.content_scale = {0.125};
  const at::Tensor x = at::randn({1, 2, 64}, at::device(at::kCUDA).dtype(at::kBFloat16));
  const AttentionCall call{x, x, x, packing, packing, terms};
  const auto reasons = reasons_against(Backend::kHopper, call);
  if (!reasons.empty()) GTEST_SKIP() << "no GPU: " << reasons.front();
  expect_twice_the_error_of_the_reference(Backend::kHopper, at::kCUDA);
}

// The bound itself, in case the test above is skipped.
TEST(CudaBackendTest, TheCpuBackendMeetsTheSameBound) {
  expect_twice_the_error_of_the_reference(Backend::kCpu, at::kCPU);
}

}  // namespace
}  // namespace dietmt::encoders
