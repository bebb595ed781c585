#include "encoders/transformer/recomputation.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include "encoders/transformer/stacks.h"

namespace dietmt::encoders {
namespace {

constexpr uint64_t kDropout = 31;

StackConfig small_config(const std::string& position, NormPlacement norm) {
  StackConfig config;
  config.layers = 2;
  config.width = 32;
  config.feed_forward = 48;
  config.heads = 4;
  config.max_positions = 16;
  config.norm = norm;
  config.position = position;
  config.dropout = config.attention_dropout = config.activation_dropout = 0.2;
  return config;
}

// Both stacks, the output of the decoder, and the gradients of all parameters and inputs.
std::vector<at::Tensor> pass(EncoderStack& encoder, DecoderStack& decoder, Backend backend) {
  at::manual_seed(8);
  const Packing source({5, 9});
  const Packing target({7, 4});
  const at::Tensor x = torch::randn({source.tokens(), 32}).requires_grad_();
  const at::Tensor y = torch::randn({target.tokens(), 32}).requires_grad_();
  std::vector<at::Tensor> results;
  {
    DropoutKeys keys(kDropout);
    const at::Tensor memory = encoder.forward(x, source, backend, &keys);
    results.push_back(decoder.forward(y, target, memory, source, backend, &keys));
  }
  encoder.zero_grad();
  decoder.zero_grad();
  (results[0] * torch::randn_like(results[0])).sum().backward();
  for (const at::Tensor& input : {x, y}) results.push_back(input.grad());
  for (const torch::nn::Module* stack :
       {static_cast<torch::nn::Module*>(&encoder), static_cast<torch::nn::Module*>(&decoder)}) {
    for (const at::Tensor& parameter : stack->parameters())
      results.push_back(parameter.grad().defined() ? parameter.grad().clone() : at::zeros({}));
  }
  return results;
}

TEST(HiddenStates, DropTheLayersThatForwardDrops) {
  at::manual_seed(3);
  EncoderStack encoder(small_config("diet-rel", NormPlacement::kPre));
  encoder.set_layer_drop(0.5);
  const Packing packing({5, 9});
  const at::Tensor x = torch::randn({packing.tokens(), 32});
  for (uint64_t key = 0; key < 8; ++key) {  // 0 to 2 of the 2 layers are dropped
    DropoutKeys keys(key), same_keys(key);
    const at::Tensor out = encoder.forward(x, packing, Backend::kReference, &keys);
    const auto states = encoder.hidden_states(x, packing, Backend::kReference, &same_keys);
    EXPECT_TRUE(at::equal(states.back(), out)) << key;
  }
}

class RecomputationTest : public testing::TestWithParam<const char*> {};

TEST_P(RecomputationTest, ChangesNothing) {
  for (const NormPlacement norm : {NormPlacement::kPost, NormPlacement::kPre}) {
    for (const Backend backend : {Backend::kReference, Backend::kAuto}) {
      at::manual_seed(3);
      StackConfig config = small_config(GetParam(), norm);
      EncoderStack encoder(config);
      config.cross_position = "diet-rel";
      DecoderStack decoder(config);
      const auto plain = pass(encoder, decoder, backend);
      encoder.set_recomputation(true);
      decoder.set_recomputation(true);
      const auto again = pass(encoder, decoder, backend);
      ASSERT_EQ(plain.size(), again.size());
      EXPECT_TRUE(at::equal(plain[0], again[0]));
      // Gradients from several layers may be added in another order.
      for (size_t n = 1; n < plain.size(); ++n)
        EXPECT_TRUE(at::allclose(plain[n], again[n], 1e-5, 1e-6)) << n;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Encodings, RecomputationTest,
                         testing::Values("sinusoidal", "diet-rel(share=layers)", "shaw(clip=3)",
                                         "tupe-r", "rope", "heads[diet-rel:0-1,t5:2-3]"));

TEST(Recomputed, ParametersGetGradientsBehindInputsWithoutThem) {
  const at::Tensor weight = torch::rand({3}).requires_grad_();
  const at::Tensor x = torch::rand({3});
  const Section section = [&](const std::vector<at::Tensor>& inputs, DropoutKeys*) {
    return inputs[0] * weight;
  };
  recomputed(section, {x}, nullptr).sum().backward();
  ASSERT_TRUE(weight.grad().defined());
  EXPECT_TRUE(at::equal(weight.grad(), x));
}

TEST(Recomputed, RunsTheSectionAgainOnlyInBackward) {
  int runs = 0;
  const Section section = [&](const std::vector<at::Tensor>& inputs, DropoutKeys*) {
    ++runs;
    EXPECT_FALSE(inputs[1].defined());
    return inputs[0] * inputs[2];
  };
  const at::Tensor a = torch::rand({3}).requires_grad_();
  const at::Tensor b = torch::rand({3});
  const at::Tensor product = recomputed(section, {a, at::Tensor(), b}, nullptr);
  EXPECT_EQ(runs, 1);
  product.sum().backward();
  EXPECT_EQ(runs, 2);
  EXPECT_TRUE(at::equal(a.grad(), b));
  const torch::NoGradGuard no_grad;
  recomputed(section, {a, at::Tensor(), b}, nullptr);
  EXPECT_EQ(runs, 3);
}

}  // namespace
}  // namespace dietmt::encoders
