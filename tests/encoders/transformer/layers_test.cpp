#include "encoders/transformer/layers.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "encoders/transformer/stacks.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;

StackConfig small_config() {
  StackConfig config;
  config.layers = 2;
  config.width = 16;
  config.feed_forward = 24;
  config.heads = 4;
  return config;
}

TEST(Layers, PostNormOutputIsNormalized) {
  at::manual_seed(1);
  const Residual residual(small_config());
  const Tensor x = torch::randn({5, 16});
  const Tensor y = residual.output(x, {torch::randn({5, 16}), x}, nullptr);
  EXPECT_TRUE(at::allclose(y.mean(1), torch::zeros({5}), 0, 1e-5));
  EXPECT_TRUE(at::allclose(y.var(1, false), torch::ones({5}), 1e-3, 1e-3));
  EXPECT_TRUE(at::equal(residual.input(x), x));
}

TEST(Layers, PreNormKeepsTheResidualStream) {
  at::manual_seed(1);
  StackConfig config = small_config();
  config.norm = NormPlacement::kPre;
  const Residual residual(config);
  const Tensor x = torch::randn({5, 16});
  const Tensor branch = torch::randn({5, 16});
  EXPECT_TRUE(at::allclose(residual.output(x, {branch, x}, nullptr), x + branch));
  EXPECT_TRUE(at::allclose(residual.input(x).mean(1), torch::zeros({5}), 0, 1e-5));
}

TEST(Layers, RmsNormsKeepTheMeanAndHaveNoBias) {
  at::manual_seed(1);
  StackConfig config = small_config();
  config.norm_type = NormType::kRms;
  const Residual residual(config);
  EXPECT_EQ(residual.parameters().size(), 1U);
  const Tensor x = torch::randn({5, 16}), branch = torch::randn({5, 16}) + 1.0;
  const Tensor sum = x + branch;
  const Tensor expected = sum / (sum.square().mean(1, true) + config.norm_epsilon).sqrt();
  EXPECT_TRUE(at::allclose(residual.output(x, {branch, x}, nullptr), expected, 1e-5, 1e-6));
  config.norm = NormPlacement::kPre;
  EXPECT_TRUE(at::allclose(Residual(config).input(sum), expected, 1e-5, 1e-6));
}

TEST(Layers, FeedForwardActivations) {
  for (const Activation activation :
       {Activation::kRelu, Activation::kGelu, Activation::kSilu, Activation::kSwiglu,
        Activation::kGeluTanh, Activation::kGegluTanh}) {
    at::manual_seed(2);
    StackConfig config = small_config();
    config.activation = activation;
    const FeedForward block(config);
    const Tensor x = torch::randn({3, 16});
    const auto parameters = block.named_parameters();
    const Tensor inner = at::linear(x, parameters["inner_weight"], parameters["inner_bias"]);
    Tensor activated;
    if (activation == Activation::kRelu) activated = inner.clamp_min(0);
    if (activation == Activation::kGelu)
      activated = inner * 0.5 * (1 + at::erf(inner / std::sqrt(2.0)));
    if (activation == Activation::kSilu) activated = inner * at::sigmoid(inner);
    if (activation == Activation::kSwiglu) {
      const Tensor gate = inner.slice(1, 0, 24);
      activated = gate * at::sigmoid(gate) * inner.slice(1, 24, 48);
    }
    const auto gelu_tanh = [](const Tensor& given) {
      return given * 0.5 *
             (1 + at::tanh(std::sqrt(2.0 / M_PI) * (given + 0.044715 * given.pow(3))));
    };
    if (activation == Activation::kGeluTanh) activated = gelu_tanh(inner);
    if (activation == Activation::kGegluTanh)
      activated = gelu_tanh(inner.slice(1, 0, 24)) * inner.slice(1, 24, 48);
    const Tensor expected =
        at::linear(activated, parameters["outer_weight"], parameters["outer_bias"]);
    EXPECT_TRUE(at::allclose(block.forward(x, nullptr).branch.rows, expected, 1e-5, 1e-6));
  }
}

TEST(Layers, DropoutKeysRepeatAPass) {
  at::manual_seed(3);
  StackConfig config = small_config();
  config.dropout = 0.2;
  config.attention_dropout = 0.2;
  config.activation_dropout = 0.2;
  config.embedding_dropout = 0.2;
  const EncoderStack stack(config);
  const Packing packing({3, 5});
  const Tensor x = torch::randn({8, 16});
  const auto pass = [&](uint64_t key) {
    DropoutKeys keys(key);
    return stack.forward(x, packing, Backend::kAuto, &keys);
  };
  EXPECT_TRUE(at::equal(pass(1), pass(1)));
  EXPECT_FALSE(at::allclose(pass(1), pass(2)));
}

TEST(Layers, AnAdapterIsABlockWithItsOwnNorm) {
  at::manual_seed(1);
  for (const NormType type : {NormType::kLayer, NormType::kRms}) {
    Adapter adapter(3, std::make_shared<Norm>(16, 1e-3, type));
    const Tensor x = torch::randn({5, 16});
    EXPECT_TRUE(at::equal(adapter.forward(x), x));  // at initialisation
    const torch::NoGradGuard no_grad;
    for (const Tensor& parameter : adapter.parameters()) parameter.normal_();
    const auto p = adapter.named_parameters();
    const Tensor centred = type == NormType::kLayer ? x - x.mean(1, true) : x;
    Tensor normed = centred / (centred.square().mean(1, true) + 1e-3).sqrt() * p["norm.weight"];
    if (type == NormType::kLayer) normed = normed + p["norm.bias"];
    const Tensor inner = at::relu(at::matmul(normed, p["down_weight"].t()) + p["down_bias"]);
    const Tensor expected = x + at::matmul(inner, p["up_weight"].t()) + p["up_bias"];
    EXPECT_TRUE(at::allclose(adapter.forward(x), expected, 1e-4, 1e-4));
  }
}

}  // namespace
}  // namespace dietmt::encoders
