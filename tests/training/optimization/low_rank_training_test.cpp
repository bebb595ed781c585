#include "training/optimization/low_rank_training.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <torch/types.h>

#include "common/error.h"
#include "tests/common/test_directory.h"

namespace dietmt::training {
namespace {

using at::Tensor;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Network : torch::nn::Module {
  Network() {
    at::manual_seed(7);
    inner = register_parameter("inner", torch::randn({6, 4}));
    bias = register_parameter("bias", torch::zeros({6}));
    outer = register_parameter("outer", torch::randn({3, 6}));
  }
  Tensor forward(const Tensor& x) const {
    return at::mm(at::tanh(at::mm(x, inner.t()) + bias), outer.t());
  }
  Tensor inner, bias, outer;
};

const LowRankOptions kOptions{2, 6.0, {"*er"}};

Tensor loss_of(const Network& network) {
  const Tensor x = at::arange(20, at::kFloat).sin().view({5, 4});
  return network.forward(x).pow(2).sum();
}

TEST(LowRankTraining, GradientsAreThoseOfAutograd) {
  Network network;
  LowRankTraining training(network, kOptions, 3);
  EXPECT_FALSE(network.bias.requires_grad());
  {  // B is 0 at first, and A has no gradient
    const torch::NoGradGuard no_grad;
    for (auto& [name, tensor] : training.parameters()) tensor.add_(0.1);
  }
  const Tensor inner = network.inner.detach().clone(), outer = network.outer.detach().clone();
  training.merge();
  loss_of(network).backward();
  training.take_gradients();
  EXPECT_FALSE(network.inner.grad().defined());

  const NamedTensors factors = training.parameters();
  ASSERT_EQ(factors.size(), 4U);
  EXPECT_EQ(factors[0].first, "inner.lora_a");
  EXPECT_EQ(factors[3].first, "outer.lora_b");
  std::vector<Tensor> leaves;
  for (const auto& [name, tensor] : factors)
    leaves.push_back(tensor.detach().clone().requires_grad_(true));
  Network other;
  other.inner = inner + 3.0 * at::mm(leaves[1], leaves[0]);
  other.outer = outer + 3.0 * at::mm(leaves[3], leaves[2]);
  loss_of(other).backward();
  for (size_t i = 0; i < leaves.size(); ++i)
    EXPECT_TRUE(at::allclose(factors[i].second.grad(), leaves[i].grad(), 1e-4, 1e-4)) << i;
}

TEST(LowRankTraining, BeginsWithTheModelAndLearns) {
  Network network;
  const Tensor inner = network.inner.detach().clone(), bias = network.bias.detach().clone();
  LowRankTraining training(network, kOptions, 3);
  training.merge();
  EXPECT_TRUE(at::equal(network.inner, inner));
  Optimizer optimizer(training.parameters(), {});
  const double before = loss_of(network).item<double>();
  for (int update = 0; update < 30; ++update) {
    optimizer.zero_gradients();
    loss_of(network).backward();
    training.take_gradients();
    optimizer.step(0.01);
    training.merge();
  }
  EXPECT_LT(loss_of(network).item<double>(), 0.7 * before);
  EXPECT_TRUE(at::equal(network.bias, bias));
  const Tensor change = network.inner.detach() - inner;
  EXPECT_EQ(at::linalg_matrix_rank(change, 1e-4).item<int64_t>(), 2);
}

TEST(LowRankTraining, StateBringsBackTheSameBits) {
  Network first, second;
  LowRankTraining trained(first, kOptions, 3), restored(second, kOptions, 99);
  {
    const torch::NoGradGuard no_grad;
    for (auto& [name, tensor] : trained.parameters()) tensor.add_(0.1);
    second.inner.zero_();
  }
  trained.merge();
  std::map<std::string, Tensor> state;
  for (const auto& [name, tensor] : trained.state()) state[name] = tensor.detach().clone();
  restored.load_state(state);
  restored.merge();
  EXPECT_TRUE(at::equal(first.inner, second.inner));
  EXPECT_EQ(trained.adapter().base, restored.adapter().base);
  state.erase("inner.base");
  EXPECT_THAT(message_of<CheckpointError>([&] { restored.load_state(state); }),
              HasSubstr("'inner.base'"));
}

TEST(LowRankTraining, TheAdapterBelongsToAllWeightsOfTheModel) {
  Network network, other;
  LowRankTraining training(network, kOptions, 3);
  const int64_t base = training.adapter().base;
  {
    const torch::NoGradGuard no_grad;
    for (auto& [name, tensor] : training.parameters()) tensor.add_(0.1);
    other.bias[2] += 0.5;
  }
  training.merge();
  EXPECT_EQ(training.adapter().base, base);
  EXPECT_NE(LowRankTraining(other, kOptions, 3).adapter().base, base);
}

TEST(LowRankTraining, TheRankFitsIntoTheMatrices) {
  Network network;
  LowRankOptions options = kOptions;
  options.rank = 3;
  EXPECT_EQ(low_rank_matrices(network, options), (std::set<std::string>{"inner", "outer"}));
  options.rank = 4;
  EXPECT_THAT(message_of<ConfigError>([&] { low_rank_matrices(network, options); }),
              HasSubstr("--lora-rank 4 is above the size of outer, [3, 6]: use at most 3"));
  options.patterns = {"inner"};
  EXPECT_EQ(low_rank_matrices(network, options).size(), 1U);
}

TEST(LowRankTraining, OnlyMatricesCanBeChosen) {
  Network network;
  LowRankOptions options = kOptions;
  options.patterns = {"bias"};
  EXPECT_THAT(message_of<ConfigError>([&] { LowRankTraining(network, options, 3); }),
              HasSubstr("--lora-on: no parameter of the model matches 'bias'"));
}

}  // namespace
}  // namespace dietmt::training
