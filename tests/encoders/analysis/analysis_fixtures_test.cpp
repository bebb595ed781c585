// The analyses, compared with an independent NumPy computation (analysis_examples.py).
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "encoders/analysis/first_scores.h"
#include "encoders/analysis/head_pattern.h"
#include "encoders/analysis/indicators.h"
#include "encoders/analysis/input_positions.h"
#include "encoders/transformer/stacks.h"
#include "tests/encoders/position/fixture_file.h"

namespace dietmt::encoders {
namespace {

using nlohmann::json;

const json& examples() {
  static const json file =
      json::parse(std::ifstream(DIETMT_SOURCE_DIR "/tests/encoders/analysis/analysis.json"));
  return file;
}

void expect_same(const at::Tensor& found, const json& expected, double tolerance) {
  const at::Tensor wanted = tensor_of(expected);
  ASSERT_TRUE(found.defined());
  ASSERT_EQ(found.sizes(), wanted.sizes());
  EXPECT_LT((found.to(at::kDouble) - wanted).abs().max().item<double>(), tolerance);
}

void expect_shape(const HeadShape& found, const json& expected) {
  EXPECT_NEAR(found.near, expected.at("near").get<double>(), 1e-12);
  if (expected.at("direction").is_null())
    EXPECT_TRUE(std::isinf(found.direction));
  else
    EXPECT_NEAR(found.direction, expected.at("direction").get<double>(), 1e-12);
}

TEST(AnalysisFixtures, VarianceWithinDiagonalsWithAndWithoutTheEnds) {
  const json& matrices = examples().at("matrices");
  const AttentionIndicators found = attention_indicators(tensor_of(matrices.at("attention")));
  EXPECT_NEAR(found.aiv, matrices.at("aiv").get<double>(), 1e-12);
  EXPECT_NEAR(found.inner_aiv, matrices.at("inner_aiv").get<double>(), 1e-12);
  EXPECT_EQ(mean_indicators({found, found}).inner_aiv, found.inner_aiv);
  EXPECT_TRUE(std::isnan(attention_indicators(at::eye(3)).inner_aiv));
}

TEST(AnalysisFixtures, ShapesOfHeads) {
  const json& matrices = examples().at("matrices");
  expect_shape(head_shape(tensor_of(matrices.at("wide")), false), matrices.at("wide_shape"));
  expect_shape(head_shape(tensor_of(matrices.at("causal")), true), matrices.at("causal_shape"));
  expect_shape(shape_of_scores(tensor_of(matrices.at("scores")), false),
               matrices.at("scores_shape"));
}

TEST(AnalysisFixtures, SingularValuesAndDotProducts) {
  const json& matrices = examples().at("matrices");
  const Spectrum found = spectrum(tensor_of(matrices.at("low_rank")));
  EXPECT_EQ(found.rank, matrices.at("rank").get<int64_t>());
  expect_same(at::tensor(found.values, at::kDouble), matrices.at("singular_values"), 1e-7);
  expect_same(cosine_map(tensor_of(matrices.at("table"))).products, matrices.at("products"), 1e-12);
}

/// The five patterns of TUPE's figure 5.
TEST(HeadPatterns, HaveTheirNames) {
  const at::Tensor j = at::arange(48, at::kDouble), i = j.unsqueeze(1);
  const at::Tensor distance = (j - i).abs();
  const auto pattern = [](const at::Tensor& scores, bool causal = false) {
    return std::string(name_of(shape_of_scores(scores, causal).pattern));
  };
  EXPECT_EQ(pattern(-0.5 * distance), "local");
  EXPECT_EQ(pattern(0.5 * distance.clamp_max(6)), "global");
  EXPECT_EQ(pattern(0.1 * (i + 2 * j).sin()), "broad");
  EXPECT_EQ(pattern(2.0 * (j < i) - 0.02 * distance), "previous");
  EXPECT_EQ(pattern(2.0 * (j > i) - 0.02 * distance), "next");
  // Causal attention sees previous positions only, which names no pattern.
  EXPECT_EQ(pattern(at::zeros({48, 48}), true), "broad");
  EXPECT_EQ(pattern(-0.5 * distance, true), "local");
}

class StackExample : public testing::TestWithParam<size_t> {
 protected:
  StackExample() : example_(examples().at("stacks").at(GetParam())) {
    const json& dims = examples().at("dims");
    config_.layers = 1;
    config_.width = dims.at("width").get<int64_t>();
    config_.feed_forward = 16;
    config_.heads = dims.at("heads").get<int64_t>();
    config_.max_positions = dims.at("max_positions").get<int64_t>();
    config_.norm_epsilon = dims.at("norm_epsilon").get<double>();
    config_.embedding_norm = example_.at("embedding_norm").get<bool>();
    config_.position = example_.at("position").get<std::string>();
    length_ = dims.at("length").get<int64_t>();
    stack_ = std::make_shared<EncoderStack>(config_);
    const torch::NoGradGuard no_grad;
    auto parameters = stack_->named_parameters();
    for (const auto& [name, values] : example_.at("weights").items())
      parameters[name].copy_(tensor_of(values));
  }

  InspectedStack view() const {
    InspectedStack inspected{*stack_, stack_->position(), config_.heads, config_.width};
    inspected.embedding_norm = config_.embedding_norm;
    inspected.norm_epsilon = config_.norm_epsilon;
    return inspected;
  }

  at::Tensor words() const { return tensor_of(example_.at("words")).to(at::kFloat); }

  const json& example_;
  StackConfig config_;
  int64_t length_ = 0;
  std::shared_ptr<EncoderStack> stack_;
};

constexpr double kFloatTolerance = 2e-5;

TEST_P(StackExample, FourPartsOfTheFirstScores) {
  const FirstScores found = first_scores(view(), words(), length_);
  expect_same(found.maps, example_.at("maps"), kFloatTolerance);
  expect_same(found.shares, example_.at("shares"), kFloatTolerance);
  EXPECT_EQ(found.rank, example_.at("rank").get<std::vector<int64_t>>());
  EXPECT_EQ(found.rank_without_terms,
            example_.at("rank_without_terms").get<std::vector<int64_t>>());
}

TEST_P(StackExample, EqualWordsBeforeAndAfterTheSoftmax) {
  const Probe probe = probe_identical_words(view(), words(), length_);
  expect_same(probe.scores, example_.at("probe").at("scores"), kFloatTolerance);
  expect_same(probe.attention, example_.at("probe").at("attention"), kFloatTolerance);
  const at::Tensor ends = tensor_of(example_.at("ends")).to(at::kFloat);
  const Probe framed = probe_identical_words(view(), words(), length_, ends);
  expect_same(framed.scores, example_.at("framed_probe").at("scores"), kFloatTolerance);
  expect_same(framed.attention, example_.at("framed_probe").at("attention"), kFloatTolerance);
}

TEST_P(StackExample, PositionsOfTheInput) {
  const InputPositions found = input_positions(view(), length_);
  if (!example_.contains("input")) {
    EXPECT_FALSE(found.products.defined() || found.projected.defined());
    return;
  }
  expect_same(found.products, example_.at("input").at("products"), kFloatTolerance);
  expect_same(found.projected, example_.at("input").at("projected"), kFloatTolerance);
}

TEST_P(StackExample, LearnedFrequencies) {
  const char* name = "position.learnable_sinusoidal.frequencies";
  const std::vector<Frequencies> found = learned_frequencies(stack_->position());
  ASSERT_EQ(found.size(), example_.at("weights").contains(name) ? 1U : 0U);
  if (found.empty()) return;
  EXPECT_EQ(found[0].name, "learnable_sinusoidal.frequencies");
  expect_same(found[0].values, example_.at("weights").at(name), 1e-6);
  EXPECT_EQ(found[0].start[0].item<double>(), 1.0);
  EXPECT_NEAR(found[0].start[1].item<double>(), 0.1, 1e-12);  // 10000^(-2/8)
}

INSTANTIATE_TEST_SUITE_P(Stacks, StackExample,
                         testing::Range<size_t>(0, examples().at("stacks").size()));

/// Chen et al. 2021, theorem 1: whatever the input adds, the products of a head have at most rank
/// Dh; scores with DIET-ABS of rank r reach Dh + r.
TEST(TheoremOne, TermsOfTheScoresRaiseTheirRank) {
  for (const std::string position : {"learned", "sinusoidal", "diet-abs(rank=3)"}) {
    StackConfig config;
    config.layers = 1;
    config.width = config.feed_forward = 16;
    config.heads = 2;
    config.max_positions = 32;
    config.position = position;
    EncoderStack stack(config);
    const torch::NoGradGuard no_grad;
    at::manual_seed(3);
    for (at::Tensor& parameter : stack.parameters()) parameter.normal_(0, 0.5);
    const InspectedStack view{stack, stack.position(), config.heads, config.width};
    const FirstScores scores = first_scores(view, at::randn({40, 16}), 20);
    const int64_t more = position.starts_with("diet-abs") ? 3 : 0;
    EXPECT_EQ(scores.rank_without_terms, (std::vector<int64_t>{8, 8})) << position;
    EXPECT_EQ(scores.rank, (std::vector<int64_t>{8 + more, 8 + more})) << position;
  }
}

TEST(FirstScoreParts, AreCausalInADecoderAndAddUpToTheProbe) {
  StackConfig config;
  config.layers = 1;
  config.width = config.feed_forward = 16;
  config.heads = 2;
  config.max_positions = 32;
  config.norm = NormPlacement::kPre;
  config.position = "learned+heads[rope:0,transformer-xl:1]";
  DecoderStack stack(config);
  const torch::NoGradGuard no_grad;
  at::manual_seed(4);
  for (at::Tensor& parameter : stack.parameters()) parameter.normal_(0, 0.5);
  const InspectedStack view{stack,        stack.position(),    config.heads,
                            config.width, NormPlacement::kPre, true};
  const at::Tensor word = at::randn({1, 16});
  const at::Tensor sum = first_scores(view, word, 7).maps.sum(0);
  const at::Tensor scores = probe_identical_words(view, word, 7).scores;
  const at::Tensor seen = at::ones({7, 7}, at::kBool).tril().expand_as(scores);
  EXPECT_LT((sum - scores).masked_select(seen).abs().max().item<double>(), 1e-4);
  config.position = "cope";
  DecoderStack contextual(config);
  const InspectedStack other{contextual,   contextual.position(), config.heads,
                             config.width, NormPlacement::kPre,   true};
  EXPECT_FALSE(first_scores(other, word, 7).maps.defined());
}

}  // namespace
}  // namespace dietmt::encoders
