// The operations of encoders/ops on the counting device: results and gradients equal the CPU's, and
// each is one launch of a fused kernel.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <functional>
#include <string>
#include <vector>

#include "encoders/ops/deterministic_sums.h"
#include "encoders/ops/fused_ops.h"
#include "encoders/ops/linear.h"
#include "encoders/ops/scopes.h"
#include "encoders/ops/token_embedding.h"
#include "encoders/ops/weight_copies.h"
#include "tests/counting_device/counting_device.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;
using counting::counting_device;

/// A result and the gradients of all inputs, on the CPU.
std::vector<Tensor> with_gradients(const std::function<Tensor(const std::vector<Tensor>&)>& run,
                                   const std::vector<Tensor>& inputs, at::Device device) {
  std::vector<Tensor> leaves;
  for (const Tensor& input : inputs)
    leaves.push_back(input.detach().to(device).requires_grad_(true));
  const Tensor result = run(leaves);
  torch::manual_seed(5);
  result.backward(torch::randn(result.sizes()).to(device));
  std::vector<Tensor> all = {result.detach().cpu()};
  for (const Tensor& leaf : leaves) all.push_back(leaf.grad().cpu());
  return all;
}

void expect_same_as_on_cpu(const std::function<Tensor(const std::vector<Tensor>&)>& run,
                           const std::vector<Tensor>& inputs) {
  // The device first: LibTorch's engine learns about devices in the first backward pass.
  const auto found = with_gradients(run, inputs, counting_device());
  const auto expected = with_gradients(run, inputs, at::kCPU);
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(at::allclose(found[i], expected[i], 1e-4, 1e-5)) << "tensor " << i;
}

std::vector<Tensor> draw(const std::vector<std::vector<int64_t>>& sizes) {
  torch::manual_seed(3);
  std::vector<Tensor> drawn;
  for (const auto& size : sizes) drawn.push_back(torch::randn(size));
  return drawn;
}

int64_t launches_of(const std::function<void()>& work) {
  counting::reset_counts();
  work();
  return counting::counts().launches;
}

DropoutSite site() { return DropoutKeys(0x1234567890abcdef).next(0.25); }

TEST(DeviceOps, BlocksOfALayer) {
  const auto block = [](const std::vector<Tensor>& in) {
    const BranchAndResidual attended = linear_branch(in[0], in[1], in[2], Epilogue::kLeaveBias);
    const Tensor mixed = add_norm(attended.x, attended.branch, in[3], in[4], site(), 1e-5);
    const BranchAndResidual fed = relu_network(mixed, {in[5], in[6]}, {in[7], in[8]});
    return add_norm(fed.x, fed.branch, in[3], in[4], {}, 1e-5);
  };
  const auto inputs = draw({{9, 16}, {16, 16}, {16}, {16}, {16}, {24, 16}, {24}, {16, 24}, {16}});
  expect_same_as_on_cpu(block, inputs);
  std::vector<Tensor> on_device;
  for (const Tensor& input : inputs)
    on_device.push_back(input.to(counting_device()).requires_grad_(true));
  EXPECT_EQ(launches_of([&] { block(on_device); }), 5);  // three products, two norms
}

TEST(DeviceOps, Activations) {
  for (const Activation activation :
       {Activation::kRelu, Activation::kGelu, Activation::kSilu, Activation::kSwiglu}) {
    SCOPED_TRACE(static_cast<int>(activation));
    const auto network = [&](const std::vector<Tensor>& in) {
      const BranchAndResidual inner = linear_branch(in[0], in[1], in[2], Epilogue::kLeaveBias);
      return activate(inner.branch, activation, site());
    };
    expect_same_as_on_cpu(network, draw({{9, 16}, {32, 16}, {32}}));
  }
}

TEST(DeviceOps, NormsAndDropout) {
  expect_same_as_on_cpu(
      [](const std::vector<Tensor>& in) { return layer_norm(in[0], in[1], in[2], 1e-5); },
      draw({{3, 5, 16}, {16}, {16}}));
  expect_same_as_on_cpu([](const std::vector<Tensor>& in) { return rms_norm(in[0], in[1], 1e-5); },
                        draw({{3, 5, 16}, {16}}));
  expect_same_as_on_cpu(
      [](const std::vector<Tensor>& in) { return dropout_add(in[0], in[1], site()); },
      draw({{7, 16}, {7, 16}}));
  expect_same_as_on_cpu([](const std::vector<Tensor>& in) { return row_dropout(in[0], site()); },
                        draw({{7, 16}}));
}

TEST(DeviceOps, LayersOfOneMemory) {
  const auto inputs = draw({{9, 16}, {8, 16}, {24, 16}, {8}, {24}});
  const auto together = [](const std::vector<Tensor>& in) {
    return stacked_linear(in[0], {in[1], in[2]}, {in[3], in[4]});
  };
  expect_same_as_on_cpu(together, inputs);
}

TEST(DeviceOps, EmbeddingsWithPositions) {
  const Tensor ids = at::tensor({3, 1, 3, 0, 4, 3}, at::kLong);
  const Tensor positions = at::tensor({0, 1, 2, 0, 1, 2}, at::kLong);
  expect_same_as_on_cpu(
      [&](const std::vector<Tensor>& in) {
        const TokenEmbedding tokens{in[0], ids.to(in[0].device()), 4.0};
        if (embeds_with_positions(tokens))
          return embed(tokens, in[1], positions.to(in[0].device()), site());
        return dropout(embed(tokens) + in[1].index_select(0, positions), site());
      },
      draw({{6, 16}, {3, 16}}));
}

/// Two layers, each with a matrix and a vector.
struct TwoLayers : torch::nn::Module {
  TwoLayers() {
    for (int l = 0; l < 2; ++l) {
      const auto layer =
          register_module("layer" + std::to_string(l), std::make_shared<torch::nn::Module>());
      matrices.push_back(layer->register_parameter("matrix", torch::randn({3 + l, 8})));
      vectors.push_back(layer->register_parameter("vector", torch::randn({8})));
    }
  }
  std::vector<Tensor> matrices, vectors;
};

TEST(WeightCopies, LayersLieEndToEnd) {
  TwoLayers module;
  WeightCopies copies(module);
  EXPECT_FALSE(copies.find(module.matrices[0]).defined());
  copies.refresh();
  EXPECT_TRUE(at::equal(copies.find(module.vectors[1]), module.vectors[1].to(at::kBFloat16)));
  EXPECT_TRUE(
      at::equal(copies.find_stacked(module.matrices), at::cat(module.matrices).to(at::kBFloat16)));
  EXPECT_FALSE(copies.find_stacked({module.matrices[1], module.matrices[0]}).defined());
  EXPECT_FALSE(copies.find(torch::randn({3, 8})).defined());
}

TEST(WeightCopies, FollowTheParametersAtTheNextRefresh) {
  TwoLayers module;
  WeightCopies copies(module);
  copies.refresh();
  const Tensor copy = copies.find(module.matrices[0]);
  const auto version = copy._version();
  {
    const torch::NoGradGuard no_gradients;
    module.matrices[0].fill_(2.0);
  }
  EXPECT_FALSE(at::equal(copy, module.matrices[0].to(at::kBFloat16)));
  copies.refresh();
  EXPECT_TRUE(at::equal(copy, module.matrices[0].to(at::kBFloat16)));
  EXPECT_EQ(copy._version(), version);  // a pass that kept the copy can still run backward
}

TEST(WeightCopies, ServeNarrowPassesWithGradientsInFp32) {
  TwoLayers module;
  for (const Tensor& parameter : module.parameters()) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    const Tensor moved = parameter.to(counting_device());
    parameter.unsafeGetTensorImpl()->shallow_copy_from(moved.getIntrusivePtr());
  }
  WeightCopies copies(module);
  const Tensor x = torch::randn({6, 8}).to(counting_device(), at::kBFloat16);
  const MixedPrecision mixed(true, &copies);
  Tensor y;
  EXPECT_EQ(launches_of([&] { y = linear_layer(x, module.matrices[0], {}); }), 1);
  EXPECT_EQ(y.scalar_type(), at::kBFloat16);
  y.sum().backward();
  EXPECT_EQ(module.matrices[0].grad().scalar_type(), at::kFloat);
  EXPECT_TRUE(
      at::allclose(module.matrices[0].grad().cpu()[2], x.cpu().to(at::kFloat).sum(0), 1e-4, 1e-4));
}

/// Operators that CUDA computes with atomics, in any order.
int64_t unordered_launches() {
  const auto launches = counting::launches_by_operator();
  int64_t sum = 0;
  for (const char* const name : {"index_add", "index_add_", "scatter_add", "scatter_add_"})
    if (launches.contains(name)) sum += launches.at(name);
  return sum;
}

TEST(DeterministicSums, AddRowsOfOneIndexWithoutAtomics) {
  const Tensor index = torch::tensor({2, 0, 2, 2, 0}, at::kLong);
  for (const auto& sizes : std::vector<std::vector<int64_t>>{{5}, {5, 3}}) {
    const auto run = [&](const std::vector<Tensor>& in) {
      return sums_by_index(in[0], index.to(in[0].device()), 4);
    };
    counting::reset_counts();
    expect_same_as_on_cpu(run, draw({sizes}));
    EXPECT_EQ(unordered_launches(), 0);
  }
  const Tensor sums = sums_by_index(torch::tensor({1.0F, 2.0F, 3.0F, 4.0F, 5.0F}), index, 4);
  EXPECT_TRUE(at::equal(sums, torch::tensor({7.0F, 0.0F, 8.0F, 0.0F})));
}

TEST(DeterministicSums, GradientsOfGatheredColumnsAddWithoutAtomics) {
  const Tensor index = torch::tensor({1, 1, 0, 3, 2, 2, 1, 1}, at::kLong).view({2, 1, 4});
  const auto run = [&](const std::vector<Tensor>& in) {
    return gathered_columns(in[0], index.to(in[0].device()));
  };
  counting::reset_counts();
  expect_same_as_on_cpu(run, draw({{2, 1, 5}}));
  EXPECT_EQ(unordered_launches(), 0);
}

}  // namespace
}  // namespace dietmt::encoders
