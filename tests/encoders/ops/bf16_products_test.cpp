// Products of bf16 matrices compared with fp64 products of the same numbers.
#include "encoders/ops/bf16_products.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "kernels/cpu/instruction_sets.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;

Tensor random_bf16(at::IntArrayRef sizes) { return torch::randn(sizes).to(at::kBFloat16); }

Tensor exact(const Tensor& x) { return x.to(at::kDouble); }

// Equal up to the rounding of the result.
void expect_rounded(const Tensor& given, const Tensor& expected) {
  EXPECT_EQ(given.scalar_type(), at::kBFloat16);
  EXPECT_TRUE(at::allclose(exact(given), expected, 1.0 / 256, 1e-4))
      << (exact(given) - expected).abs().max();
}

void expect_fp32(const Tensor& given, const Tensor& expected) {
  EXPECT_EQ(given.scalar_type(), at::kFloat);
  EXPECT_TRUE(at::allclose(exact(given), expected, 1e-5, 1e-4))
      << (exact(given) - expected).abs().max();
}

struct Sizes {
  int64_t rows, inputs, outputs;
};

class Bf16Products : public testing::TestWithParam<Sizes> {
 protected:
  void SetUp() override {
    at::manual_seed(1);
    const auto [rows, inputs, outputs] = GetParam();
    x_ = random_bf16({rows, inputs});
    weight_ = random_bf16({outputs, inputs});
    gradient_ = random_bf16({rows, outputs});
    if (!has_bf16_products(x_, weight_)) GTEST_SKIP() << "this machine has no AVX-512 BF16";
  }
  Tensor x_, weight_, gradient_;
};

// No rows, fewer than a tile, one tile, an incomplete last one; columns in one incomplete panel and
// in several; products deeper than one call.
INSTANTIATE_TEST_SUITE_P(Sizes, Bf16Products,
                         testing::Values(Sizes{0, 64, 64}, Sizes{1, 32, 2}, Sizes{7, 64, 64},
                                         Sizes{32, 32, 30}, Sizes{33, 96, 130},
                                         Sizes{300, 128, 384}, Sizes{1500, 64, 96},
                                         Sizes{70, 2080, 1090}));

TEST_P(Bf16Products, LinearLayer) {
  const Tensor bias = random_bf16({weight_.size(0)});
  const Bf16Panels panels = bf16_panels_of_transposed(weight_);
  const Tensor product = exact(x_).mm(exact(weight_).t());
  expect_rounded(bf16_linear(x_, panels, {}), product);
  expect_rounded(bf16_linear(x_, panels, bias), product + exact(bias));
  expect_rounded(bf16_linear(x_, panels, bias, true), (product + exact(bias)).relu());
}

TEST_P(Bf16Products, InputGradient) {
  const Bf16Panels panels = bf16_panels(weight_);
  const Tensor product = exact(gradient_).mm(exact(weight_));
  const Tensor addend = random_bf16(x_.sizes()), to = at::empty_like(x_);
  bf16_input_gradient(gradient_, panels, {}, {}, to);
  expect_rounded(to, product);
  bf16_input_gradient(gradient_, panels, addend, x_, to);
  expect_rounded(to, (product + exact(addend)) * x_.gt(0));
  const Tensor in_place = addend.clone();
  bf16_input_gradient(gradient_, panels, in_place, {}, in_place);
  expect_rounded(in_place, product + exact(addend));
}

TEST_P(Bf16Products, WeightGradient) {
  const Tensor product = exact(gradient_).t().mm(exact(x_));
  expect_fp32(bf16_weight_gradient(gradient_, x_), product);
  const Tensor sums = torch::randn({x_.size(1), gradient_.size(1)});
  const Tensor before = exact(sums);
  bf16_transposed_product(x_, gradient_, sums, true);
  expect_fp32(sums, before + product.t());
  bf16_transposed_product(x_, gradient_, sums, false);
  expect_fp32(sums, product.t());
}

TEST_P(Bf16Products, ColumnSums) {
  expect_fp32(bf16_column_sums(gradient_), exact(gradient_).sum(0));
}

TEST_P(Bf16Products, DoNotDependOnTheNumberOfThreads) {
  const int before = at::get_num_threads();
  std::vector<std::vector<Tensor>> results;
  for (const int threads : {1, 2, 3}) {
    at::set_num_threads(threads);
    const Tensor to = at::empty_like(x_);
    bf16_input_gradient(gradient_, bf16_panels(weight_), {}, {}, to);
    results.push_back({bf16_linear(x_, bf16_panels_of_transposed(weight_), {}), to,
                       bf16_weight_gradient(gradient_, x_), bf16_column_sums(gradient_)});
  }
  at::set_num_threads(before);
  for (size_t i = 0; i < results[0].size(); ++i) {
    EXPECT_TRUE(at::equal(results[0][i], results[1][i])) << i;
    EXPECT_TRUE(at::equal(results[0][i], results[2][i])) << i;
  }
}

/// The test program also runs under DIETMT_INSTRUCTION_SET=generic (CMakeLists.txt).
TEST(Bf16ProductsOf, NoMachineWhoseChosenInstructionsHaveNone) {
  const auto& chosen = kernels::chosen_instruction_set();
  if (&chosen >= kernels::find_instruction_set("avx512_bf16"))
    GTEST_SKIP() << "the chosen instruction set has them";
  EXPECT_FALSE(has_bf16_products(random_bf16({8, 64}), random_bf16({6, 64})));
}

TEST(Bf16ProductsOf, WhatTheyCannotMultiply) {
  const Tensor x = random_bf16({8, 64}), weight = random_bf16({6, 64});
  EXPECT_FALSE(has_bf16_products(x.to(at::kFloat), weight));
  EXPECT_FALSE(has_bf16_products(x, random_bf16({7, 64})));
  EXPECT_FALSE(has_bf16_products(random_bf16({8, 48}), random_bf16({6, 48})));
}

}  // namespace
}  // namespace dietmt::encoders
