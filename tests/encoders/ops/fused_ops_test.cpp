#include "encoders/ops/fused_ops.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/types.h>

namespace dietmt::encoders {
namespace {

using at::Tensor;

const DropoutSite kSite = DropoutKeys(0xfedcba9876543210ULL).next(0.3);

Tensor leaf(at::IntArrayRef sizes) { return torch::randn(sizes).requires_grad_(true); }

// The same leaf in double: uses tensor operations instead of the kernels.
Tensor in_double(const Tensor& x) { return x.detach().to(at::kDouble).requires_grad_(true); }

// Runs `f` on fp32 leaves and on the same leaves in double; results and gradients must agree.
template <typename Function>
void expect_kernel_equals_algebra(std::vector<Tensor> inputs, const Function& f) {
  std::vector<Tensor> wide;
  for (const Tensor& input : inputs) wide.push_back(in_double(input));
  const Tensor output = f(inputs);
  const Tensor expected = f(wide);
  EXPECT_TRUE(at::allclose(output.to(at::kDouble), expected, 1e-5, 1e-5));
  const Tensor weights = torch::randn_like(expected);
  (output * weights.to(at::kFloat)).sum().backward();
  (expected * weights).sum().backward();
  for (size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_TRUE(at::allclose(inputs[i].grad().to(at::kDouble), wide[i].grad(), 1e-4, 1e-4))
        << "gradient of input " << i;
  }
}

TEST(FusedOps, AddNorm) {
  at::manual_seed(1);
  for (const int64_t rows : {1, 7, 300}) {
    for (const DropoutSite& site : {DropoutSite{}, kSite}) {
      expect_kernel_equals_algebra({leaf({rows, 20}), leaf({rows, 20}), leaf({20}), leaf({20})},
                                   [&](const std::vector<Tensor>& in) {
                                     return add_norm(in[0], in[1], in[2], in[3], site, 1e-5);
                                   });
    }
  }
}

TEST(FusedOps, AddNormWithoutBetaIsAnRmsNorm) {
  at::manual_seed(7);
  for (const double smallest : {0.0, 0.5}) {
    const Tensor gamma = torch::randn({20});
    gamma[7] = smallest;
    for (const DropoutSite& site : {DropoutSite{}, kSite})
      expect_kernel_equals_algebra(
          {leaf({300, 20}), leaf({300, 20}), gamma.clone().requires_grad_()},
          [&](const std::vector<Tensor>& in) {
            return add_norm(in[0], in[1], in[2], {}, site, 1e-3);
          });
  }
}

TEST(FusedOps, RmsNormOfHeads) {
  at::manual_seed(8);
  expect_kernel_equals_algebra({leaf({40, 3, 20}), leaf({20})}, [](const std::vector<Tensor>& in) {
    return rms_norm(in[0], in[1], 1e-3);
  });
  const Tensor x = torch::randn({40, 3, 20}, at::kDouble);
  const Tensor gamma = torch::randn({20}, at::kDouble);
  const Tensor formula = x * gamma / (x.square().mean(-1, true) + 1e-3).sqrt();
  EXPECT_TRUE(at::allclose(rms_norm(x, gamma, 1e-3), formula));
  const Tensor part = x.to(at::kFloat).narrow(1, 0, 2);  // not contiguous
  EXPECT_TRUE(at::allclose(rms_norm(part, gamma.to(at::kFloat), 1e-3).to(at::kDouble),
                           formula.narrow(1, 0, 2), 1e-5, 1e-5));
}

// Between layers in bf16: as exact as the rounding of input and output.
TEST(FusedOps, RmsNormOfBFloat16) {
  at::manual_seed(9);
  const Tensor x = torch::randn({30, 20}).to(at::kBFloat16);
  const Tensor gamma = torch::randn({20});
  const Tensor normed = rms_norm(x, gamma, 1e-5);
  EXPECT_TRUE(at::equal(normed, rms_norm(x.to(at::kFloat), gamma, 1e-5).to(at::kBFloat16)));
}

// If it cannot be recovered from the output, the norm keeps what its gradient needs.
TEST(FusedOps, AddNormWithNoOrLittleGamma) {
  at::manual_seed(4);
  for (const double smallest : {0.0, 1e-7, 1e-3}) {
    const Tensor gamma = torch::randn({20});
    gamma[7] = smallest;
    expect_kernel_equals_algebra(
        {leaf({30, 20}), leaf({30, 20}), gamma.requires_grad_(true), leaf({20})},
        [&](const std::vector<Tensor>& in) {
          return add_norm(in[0], in[1], in[2], in[3], kSite, 1e-5);
        });
  }
}

TEST(FusedOps, AddNormKeepsOneTensorOfTheBatch) {
  const Tensor residual = torch::randn({300, 20}).requires_grad_(true);
  const Tensor branch = torch::randn({300, 20});
  const Tensor output =
      add_norm(residual, branch, torch::ones({20}), torch::zeros({20}), kSite, 1e-5);
  // The output itself, which its gradient's node also holds.
  EXPECT_EQ(output.storage().use_count(), 2);
}

TEST(FusedOps, DropoutAdd) {
  at::manual_seed(2);
  expect_kernel_equals_algebra({leaf({13, 5}), leaf({13, 5})}, [](const std::vector<Tensor>& in) {
    return dropout_add(in[0], in[1], kSite);
  });
}

TEST(FusedOps, Dropout) {
  at::manual_seed(3);
  expect_kernel_equals_algebra({leaf({13, 5})},
                               [](const std::vector<Tensor>& in) { return dropout(in[0], kSite); });
}

// Rounded once, at the end: a scale in bf16 would be off by up to 0.4 %.
TEST(FusedOps, DropoutOfBFloat16) {
  at::manual_seed(5);
  const Tensor x = torch::randn({300, 7}).to(at::kBFloat16).requires_grad_(true);
  const Tensor output = dropout(x, kSite);
  const Tensor mask = dropout_mask_like(x.detach().to(at::kFloat), kSite);
  EXPECT_TRUE(at::equal(output, (x.detach().to(at::kFloat) * mask).to(at::kBFloat16)));
  output.sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), mask.to(at::kBFloat16)));
  EXPECT_TRUE(at::equal(dropout_mask_like(x, kSite), mask.to(at::kBFloat16)));
}

TEST(FusedOps, RowDropoutDropsWholeRows) {
  at::manual_seed(6);
  const Tensor x = torch::rand({2000, 5}).add_(1.0).requires_grad_(true);
  const Tensor output = row_dropout(x, kSite);
  const Tensor kept = output.select(1, 0) != 0.0;
  const Tensor expected = x * kept.unsqueeze(1) / (1.0 - kSite.p);
  EXPECT_TRUE(at::allclose(output, expected));
  EXPECT_NEAR(kept.to(at::kDouble).mean().item<double>(), 1.0 - kSite.p, 0.05);
  EXPECT_TRUE(at::equal(row_dropout(x, kSite), output));
  EXPECT_TRUE(row_dropout(x, {}).is_same(x));
}

TEST(FusedOps, NoDropoutLeavesValuesAlone) {
  const Tensor x = torch::randn({4, 4});
  EXPECT_TRUE(at::equal(dropout(x, {}), x));
  EXPECT_TRUE(at::equal(dropout_add(x, x, {}), x + x));
}

TEST(FusedOps, MasksOfKernelAndAlgebraAreTheSame) {
  const Tensor x = torch::empty({1000, 33});
  for (const uint64_t key : {0ULL, 1ULL, 0xffffffffffffffffULL, 0x123456789abcdefULL}) {
    const Tensor mask = dropout_mask_like(x, DropoutKeys(key).next(0.4));
    const Tensor wide = dropout_mask_like(x.to(at::kDouble), DropoutKeys(key).next(0.4));
    EXPECT_TRUE(at::equal(mask > 0, wide > 0)) << "key " << key;
  }
}

}  // namespace
}  // namespace dietmt::encoders
