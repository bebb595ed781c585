// What positions add to scores, compared with the encodings' formulas, and attention in sentences
// of one repeated word.
#include "encoders/analysis/position_scores.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <cmath>

#include "encoders/analysis/indicators.h"
#include "encoders/transformer/stacks.h"

namespace dietmt::encoders {
namespace {

constexpr int64_t kLength = 9;

StackConfig small(const std::string& position, NormPlacement norm = NormPlacement::kPost) {
  StackConfig config;
  config.layers = 3;
  config.width = 16;
  config.feed_forward = 16;
  config.heads = 2;
  config.max_positions = 32;
  config.norm = norm;
  config.position = position;
  return config;
}

template <typename Stack>
InspectedStack inspected(const Stack& stack, const StackConfig& config, bool causal = false) {
  return {stack, stack.position(), config.heads, config.width, config.norm, causal};
}

at::Tensor parameter(const torch::nn::Module& module, const std::string& name) {
  return module.named_parameters()[name].detach();
}

/// Random values everywhere, so that no zero hides an error.
void fill(torch::nn::Module& module) {
  at::manual_seed(5);
  const torch::NoGradGuard no_grad;
  for (at::Tensor& p : module.parameters()) p.normal_(0, 0.5);
}

void expect_near(const at::Tensor& a, const at::Tensor& b, double tolerance) {
  ASSERT_EQ(a.sizes(), b.sizes());
  EXPECT_LT((a - b).abs().max().item<double>(), tolerance);
}

TEST(PositionScores, AreTheTableOfScalarsInEveryLayer) {
  const StackConfig config = small("diet-rel");
  EncoderStack stack(config);
  fill(stack);
  const std::vector<at::Tensor> scores = position_scores(inspected(stack, config), kLength);
  ASSERT_EQ(scores.size(), 3U);
  const at::Tensor table = parameter(stack, "position.diet_rel.table");  // [L, H, 2C+1] by j - i
  const int64_t centre = (table.size(2) - 1) / 2;
  for (int64_t l = 0; l < 3; ++l)
    for (int64_t h = 0; h < 2; ++h)
      for (int64_t i = 0; i < kLength; ++i)
        for (int64_t j = 0; j < kLength; ++j)
          ASSERT_EQ(scores[static_cast<size_t>(l)][h][i][j].item<float>(),
                    table[l][h][centre + j - i].item<float>());
}

TEST(PositionScores, LeaveScoresOfSegmentsOut) {
  for (const char* position : {"diet-abs(rank=3)+segments", "learned+segments"}) {
    StackConfig config = small(position);
    config.segments = 2;
    EncoderStack stack(config);
    fill(stack);
    const std::vector<at::Tensor> scores = position_scores(inspected(stack, config), 20);
    const bool is_learned = config.position.starts_with("learned");
    for (const at::Tensor& head : scores[1].unbind())
      EXPECT_EQ(numeric_rank(head), is_learned ? 0 : 3) << position;
  }
}

TEST(PositionScores, ProjectPositionsOfTheEmbeddingsInTheFirstLayer) {
  const StackConfig config = small("learned");
  EncoderStack stack(config);
  fill(stack);
  const std::vector<at::Tensor> scores = position_scores(inspected(stack, config), kLength);
  const at::Tensor p = parameter(stack, "position.learned.table").slice(0, 0, kLength);
  const at::Tensor weight = parameter(stack, "layer0.self_attention.input_weight");
  for (int64_t h = 0; h < 2; ++h) {
    const at::Tensor q = at::matmul(p, weight.slice(0, 8 * h, 8 * h + 8).t());
    const at::Tensor k = at::matmul(p, weight.slice(0, 16 + 8 * h, 16 + 8 * h + 8).t());
    expect_near(scores[0][h], at::matmul(q, k.t()) / std::sqrt(8.0), 1e-5);
  }
  EXPECT_EQ(scores[1].abs().max().item<float>(), 0);
  EXPECT_EQ(numeric_rank(scores[0][0]), 8);  // 9 positions, heads of width 8
}

TEST(PositionScores, HaveNoInputPartBehindALayerNorm) {
  const StackConfig config = small("learned", NormPlacement::kPre);
  EncoderStack stack(config);
  fill(stack);
  for (const at::Tensor& layer : position_scores(inspected(stack, config), kLength))
    EXPECT_EQ(layer.abs().max().item<float>(), 0);
}

TEST(PositionScores, CoverCrossAttention) {
  EncodingContext context;
  context.site = AttentionSite::kCross;
  context.heads = 2;
  context.head_width = 8;
  context.model_width = 16;
  context.max_positions = 32;
  PositionScheme scheme("diet-rel(share=heads)", context);
  fill(scheme);
  const Extent extent{4, 6};
  const torch::NoGradGuard no_grad;
  const ScoreTerms terms = scheme.lower(extent, at::zeros({4, 16})).front();
  const at::Tensor scores = scores_without_content(terms, extent, 2, 8);
  ASSERT_EQ(scores.sizes(), at::IntArrayRef({2, 4, 6}));
  EXPECT_TRUE(at::equal(scores[0], scores[1]));
  const at::Tensor table = parameter(scheme, "diet_rel.table").flatten();
  const int64_t centre = (table.size(0) - 1) / 2;
  EXPECT_EQ(scores[0][3][0].item<float>(), table[centre - 3].item<float>());
  EXPECT_EQ(scores[0][0][5].item<float>(), table[centre + 5].item<float>());
  EXPECT_TRUE(terms_with_content(terms).empty());
}

TEST(PositionScores, NameWhatActsThroughWords) {
  const StackConfig config = small("shaw(clip=3)");
  EncoderStack stack(config);
  const ScoreTerms terms = stack.position().lower({5, 5}, at::zeros({5, 16})).front();
  EXPECT_EQ(terms_with_content(terms),
            (std::vector<std::string>{"relative keys", "relative values"}));
}

TEST(IdenticalWords, GiveEqualAttentionWithoutPositions) {
  const StackConfig config = small("none");
  EncoderStack stack(config);
  fill(stack);
  const at::Tensor attention =
      probe_identical_words(inspected(stack, config), at::randn({5, 16}), kLength).attention;
  expect_near(attention, at::full({2, kLength, kLength}, 1.0 / kLength, at::kDouble), 1e-6);
}

TEST(IdenticalWords, SeeTheSoftmaxOfAScalarBias) {
  const StackConfig config = small("diet-rel");
  EncoderStack stack(config);
  fill(stack);
  const InspectedStack view = inspected(stack, config);
  const at::Tensor attention = probe_identical_words(view, at::randn({5, 16}), kLength).attention;
  const at::Tensor bias = position_scores(view, kLength)[0].to(at::kDouble);
  expect_near(attention, at::softmax(bias, -1), 1e-5);
}

TEST(IdenticalWords, AreCausalInADecoderAndAverageTheWords) {
  const StackConfig config = small("learned+shaw(clip=3)", NormPlacement::kPre);
  DecoderStack stack(config);
  fill(stack);
  const InspectedStack view = inspected(stack, config, true);
  const at::Tensor words = at::randn({2, 16});
  const at::Tensor both = probe_identical_words(view, words, kLength).attention;
  const at::Tensor first = probe_identical_words(view, words.narrow(0, 0, 1), kLength).attention;
  const at::Tensor second = probe_identical_words(view, words.narrow(0, 1, 1), kLength).attention;
  expect_near(both, (first + second) / 2, 1e-12);
  EXPECT_GT((first - second).abs().max().item<double>(), 1e-3);
  EXPECT_EQ(both.triu(1).abs().max().item<double>(), 0);
  expect_near(both.sum(-1), at::ones({2, kLength}, at::kDouble), 1e-12);
}

TEST(IdenticalWords, PassTheNormOfTheEmbeddings) {
  StackConfig config = small("learned+segments");
  config.embedding_norm = true;
  config.norm_epsilon = 0.1;
  config.segments = 2;
  EncoderStack stack(config);
  fill(stack);
  InspectedStack view = inspected(stack, config);
  view.embedding_norm = true;
  view.norm_epsilon = config.norm_epsilon;
  const torch::NoGradGuard no_grad;
  const at::Tensor word = at::randn({1, 16});
  const at::Tensor attention = probe_identical_words(view, word, kLength).attention;

  const at::Tensor x = at::layer_norm(
      stack.position().embed(word.expand({kLength, 16}), at::arange(kLength)), {16},
      parameter(stack, "embedding_norm.weight"), parameter(stack, "embedding_norm.bias"), 0.1);
  const at::Tensor vectors = at::linear(x, parameter(stack, "layer0.self_attention.input_weight"),
                                        parameter(stack, "layer0.self_attention.input_bias"))
                                 .view({kLength, 3, 2, 8})
                                 .transpose(0, 2);  // [H, 3, n, Dh]
  const at::Tensor scores =
      at::matmul(vectors.select(1, 0), vectors.select(1, 1).transpose(1, 2)) / std::sqrt(8.0);
  // Segment 0 with segment 0: one number for all pairs, which the softmax cancels.
  expect_near(attention, at::softmax(scores.to(at::kDouble), -1), 1e-6);
  for (const at::Tensor& layer : position_scores(view, kLength))
    EXPECT_EQ((layer - layer[0][0][0]).narrow(0, 0, 1).abs().max().item<double>(), 0.0)
        << "positions that a norm mixes with words have no part of their own";
}

/// The layer's output, computed from the probabilities: one layer, one word, values by hand.
TEST(IdenticalWords, AreTheAttentionOfTheStack) {
  StackConfig config = small("learned+shaw(clip=3,values=false)");
  config.layers = 1;
  EncoderStack stack(config);
  fill(stack);
  const torch::NoGradGuard no_grad;
  const at::Tensor word = at::randn({1, 16});
  const at::Tensor attention =
      probe_identical_words(inspected(stack, config), word, kLength).attention.to(at::kFloat);

  const at::Tensor positions = at::arange(kLength);
  const at::Tensor x = stack.position().embed(word.expand({kLength, 16}), positions);
  const at::Tensor projected = at::linear(x, parameter(stack, "layer0.self_attention.input_weight"),
                                          parameter(stack, "layer0.self_attention.input_bias"));
  const at::Tensor values = projected.slice(1, 32).view({kLength, 2, 8}).transpose(0, 1);
  const at::Tensor mixed = at::matmul(attention, values).transpose(0, 1).reshape({kLength, 16});
  const at::Tensor attended =
      at::linear(mixed, parameter(stack, "layer0.self_attention.output_weight"),
                 parameter(stack, "layer0.self_attention.output_bias"));
  const at::Tensor normed =
      at::layer_norm(x + attended, {16}, parameter(stack, "layer0.self_residual.norm.weight"),
                     parameter(stack, "layer0.self_residual.norm.bias"), 1e-5);
  const at::Tensor inner =
      at::relu(at::linear(normed, parameter(stack, "layer0.feed_forward.inner_weight"),
                          parameter(stack, "layer0.feed_forward.inner_bias")));
  const at::Tensor fed = at::linear(inner, parameter(stack, "layer0.feed_forward.outer_weight"),
                                    parameter(stack, "layer0.feed_forward.outer_bias"));
  const at::Tensor output = at::layer_norm(
      normed + fed, {16}, parameter(stack, "layer0.feed_forward_residual.norm.weight"),
      parameter(stack, "layer0.feed_forward_residual.norm.bias"), 1e-5);

  const at::Tensor expected = stack.forward(word.expand({kLength, 16}).contiguous(),
                                            Packing({kLength}), Backend::kReference, nullptr);
  expect_near(output, expected, 1e-4);
}

}  // namespace
}  // namespace dietmt::encoders
