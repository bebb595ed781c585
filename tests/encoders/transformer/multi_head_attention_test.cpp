// Attention whose heads share keys and values and whose queries and keys are normalized, compared
// with the formulas; and its gradients in every backend, with every position encoding.
#include "encoders/transformer/multi_head_attention.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "encoders/transformer/stacks.h"
#include "tests/encoders/position/encoding_list.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;

constexpr int64_t kModelWidth = 24, kHeads = 4, kHeadWidth = kModelWidth / kHeads;

struct Choice {
  int64_t key_heads;
  bool qk_norm;
};

AttentionConfig attention_config(const Choice& choice) {
  return {kModelWidth, kHeads, choice.key_heads, choice.qk_norm, 1e-3};
}

void fill(torch::nn::Module& module) {
  at::manual_seed(4);
  const torch::NoGradGuard no_grad;
  for (Tensor& parameter : module.parameters()) parameter.normal_(0, 0.2);
}

// x W^T + b, with the rows of W and b from `first` on, by heads: [heads, T, Dh].
Tensor projected(const torch::nn::Module& module, const std::string& name, const Tensor& x,
                 int64_t first, int64_t heads) {
  const auto parameters = module.named_parameters();
  const int64_t width = heads * kHeadWidth;
  return at::linear(x, parameters[name + "_weight"].narrow(0, first, width),
                    parameters[name + "_bias"].narrow(0, first, width))
      .view({x.size(0), heads, kHeadWidth})
      .transpose(0, 1);
}

Tensor normed(const torch::nn::Module& module, const std::string& name, const Tensor& x) {
  const auto parameters = module.named_parameters();
  if (!parameters.contains(name)) return x;
  return x / (x.square().mean(-1, true) + 1e-3).sqrt() * parameters[name];
}

// Head h uses the keys and values of head h G / H.
Tensor attention(const torch::nn::Module& module, const Tensor& queries, const Tensor& keys,
                 const Tensor& values, bool causal) {
  const auto parameters = module.named_parameters();
  const Tensor q = normed(module, "query_norm.weight", queries);
  const Tensor k = normed(module, "key_norm.weight", keys);
  std::vector<Tensor> mixed;
  for (int64_t h = 0; h < kHeads; ++h) {
    const int64_t g = h * keys.size(0) / kHeads;
    Tensor scores = at::matmul(q[h], k[g].t()) / std::sqrt(static_cast<double>(kHeadWidth));
    if (causal) scores = scores.masked_fill(at::ones_like(scores).triu(1).to(at::kBool), -INFINITY);
    mixed.push_back(at::matmul(at::softmax(scores, -1), values[g]));
  }
  return at::linear(at::cat(mixed, 1), parameters["output_weight"], parameters["output_bias"]);
}

// The result, then the gradients of all parameters and of the inputs.
std::vector<Tensor> with_gradients(torch::nn::Module& module, const Tensor& result,
                                   const std::vector<Tensor>& inputs) {
  module.zero_grad();
  for (const Tensor& input : inputs) input.mutable_grad() = Tensor();
  at::manual_seed(6);
  (result * torch::randn_like(result)).sum().backward();
  std::vector<Tensor> all = {result.detach()};
  for (const auto& parameter : module.parameters()) all.push_back(parameter.grad().clone());
  for (const Tensor& input : inputs) all.push_back(input.grad().clone());
  return all;
}

void expect_close(const std::vector<Tensor>& given, const std::vector<Tensor>& wanted,
                  const std::string& what) {
  ASSERT_EQ(given.size(), wanted.size());
  for (size_t n = 0; n < given.size(); ++n)
    EXPECT_TRUE(at::allclose(given[n], wanted[n], 1e-4, 1e-5)) << what << ", tensor " << n;
}

ScoreTerms without_positions() {
  ScoreTerms terms;
  terms.content_scale = {1.0 / std::sqrt(static_cast<double>(kHeadWidth))};
  return terms;
}
const ScoreTerms kPlain = without_positions();
constexpr Backend kBackends[] = {Backend::kCpu, Backend::kSdpa, Backend::kReference};

class GroupedAttentionTest : public testing::TestWithParam<Choice> {};

TEST_P(GroupedAttentionTest, SelfAttentionEqualsTheFormula) {
  SelfAttention module(attention_config(GetParam()), true);
  fill(module);
  const int64_t groups = attention_config(GetParam()).key_heads();
  const Tensor x = torch::randn({9, kModelWidth}).requires_grad_();
  const Tensor formula =
      attention(module, projected(module, "input", x, 0, kHeads),
                projected(module, "input", x, kModelWidth, groups),
                projected(module, "input", x, kModelWidth + groups * kHeadWidth, groups), true);
  const auto wanted = with_gradients(module, formula, {x});
  for (const Backend backend : kBackends) {
    const Tensor result = module.forward(x, Packing({9}), kPlain, backend, {}).branch.rows;
    expect_close(with_gradients(module, result, {x}), wanted,
                 "backend " + std::to_string(static_cast<int>(backend)));
  }
}

TEST_P(GroupedAttentionTest, CrossAttentionEqualsTheFormula) {
  CrossAttention module(attention_config(GetParam()));
  fill(module);
  const int64_t groups = attention_config(GetParam()).key_heads();
  const Tensor x = torch::randn({5, kModelWidth}).requires_grad_();
  const Tensor memory = torch::randn({8, kModelWidth}).requires_grad_();
  const Tensor formula =
      attention(module, projected(module, "query", x, 0, kHeads),
                projected(module, "memory", memory, 0, groups),
                projected(module, "memory", memory, groups * kHeadWidth, groups), false);
  const auto wanted = with_gradients(module, formula, {x, memory});
  for (const Backend backend : kBackends) {
    const Tensor result =
        module.forward(x, Packing({5}), module.project(memory), Packing({8}), kPlain, backend, {})
            .branch.rows;
    expect_close(with_gradients(module, result, {x, memory}), wanted,
                 "backend " + std::to_string(static_cast<int>(backend)));
  }
}

INSTANTIATE_TEST_SUITE_P(Choices, GroupedAttentionTest,
                         testing::Values(Choice{0, false}, Choice{0, true}, Choice{1, false},
                                         Choice{2, true}, Choice{4, false}),
                         [](const auto& test) {
                           return "kv" + std::to_string(test.param.key_heads) +
                                  (test.param.qk_norm ? "_normed" : "_plain");
                         });

class GroupedStackTest : public testing::TestWithParam<Encoding> {};

// Encoder layers with RMS norms, normalized queries and keys, two heads of keys, and adapters.
TEST_P(GroupedStackTest, BackendsAgreeOnGradients) {
  StackConfig config;
  config.layers = 2;
  config.width = kModelWidth;
  config.feed_forward = 16;
  config.heads = kHeads;
  config.kv_heads = 2;
  config.qk_norm = true;
  config.adapter = 5;
  config.norm_type = NormType::kRms;
  config.max_positions = 128;
  config.segments = 2;
  config.starts_with_summary = true;
  config.position = GetParam().spec;
  EncoderStack stack(config);
  fill(stack);
  const Tensor x = torch::randn({12, kModelWidth}).requires_grad_();
  Packing packing({7, 5});
  packing.set_segments(torch::tensor({0, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 1}));
  std::vector<Tensor> wanted;
  for (const Backend backend : {Backend::kReference, Backend::kSdpa, Backend::kAuto}) {
    const auto found = with_gradients(stack, stack.forward(x, packing, backend, nullptr), {x});
    if (wanted.empty()) wanted = found;
    expect_close(found, wanted, "backend " + std::to_string(static_cast<int>(backend)));
  }
}

std::vector<Encoding> encodings_of_encoders() {
  std::vector<Encoding> all = encodings_with_summary();
  std::erase_if(all, [](const Encoding& encoding) { return !encoding.encoder; });
  return all;
}

INSTANTIATE_TEST_SUITE_P(Encodings, GroupedStackTest, testing::ValuesIn(encodings_of_encoders()));

}  // namespace
}  // namespace dietmt::encoders
