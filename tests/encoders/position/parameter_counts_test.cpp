// The published totals of BERT base with each encoding (DIET, table 6), computed from the modules.
// What a model has besides positions is the total of the fixtures' absolute model minus its table.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include <string>

#include "encoders/position/scheme/position_scheme.h"
#include "encoders/transformer/layers.h"
#include "fixture_file.h"

namespace dietmt::encoders {
namespace {

constexpr int64_t kLayersOfBase = 12;

int64_t count(const torch::nn::Module& module) {
  int64_t sum = 0;
  for (const at::Tensor& parameter : module.parameters()) sum += parameter.numel();
  return sum;
}

PositionScheme bert_base(const std::string& spec) {
  return PositionScheme(spec, {.site = AttentionSite::kEncoder,
                               .layers = kLayersOfBase,
                               .heads = 12,
                               .head_width = 64,
                               .model_width = 768,
                               .max_positions = 512,
                               .segments = 2,
                               .starts_with_summary = true});
}

int64_t positions(const std::string& spec) { return count(bert_base(spec)); }

class PublishedCounts : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {}
  int64_t published(const char* name) const {
    return fixtures().at("parameter_counts").at(GetParam()).at(name).get<int64_t>();
  }
  int64_t total(const std::string& spec) const {
    return published("learned_absolute_at_input") - positions("learned") + positions(spec);
  }
};

TEST_P(PublishedCounts, AreThePapersTotals) {
  EXPECT_EQ(total("diet-rel"), published("diet_rel_none"));
  EXPECT_EQ(total("diet-rel(share=layers)"), published("diet_rel_layer_wise"));
  EXPECT_EQ(total("diet-rel(share=heads)"), published("diet_rel_head_wise"));
  EXPECT_EQ(total("diet-abs(rank=128)"), published("diet_abs128_none"));
  EXPECT_EQ(total("diet-abs(rank=128,share=layers)"), published("diet_abs128_layer_wise"));
  EXPECT_EQ(total("diet-abs(rank=128,share=heads)"), published("diet_abs128_head_wise"));
  EXPECT_EQ(total("shaw(clip=511)"), published("shaw_key_value_n512"));
  EXPECT_EQ(total("shaw(clip=1024)"), published("shaw_key_value_t1024"));
}

TEST_P(PublishedCounts, TupeAddsTwoProjections) {
  int64_t projections = 0;
  const PositionScheme tupe = bert_base("tupe-a");
  for (const auto& item : tupe.named_parameters())
    if (item.key().ends_with("_projection")) projections += item.value().numel();
  EXPECT_EQ(projections, published("tupe_projections_only"));
  // Besides them: layer norm, and two positions for the summary token.
  EXPECT_EQ(count(tupe), positions("learned") + projections + 2 * 768 + 2 * 768);
}

INSTANTIATE_TEST_SUITE_P(Vocabularies, PublishedCounts, testing::Values("english", "multilingual"));

/// positions.md, section 6: 12 * 7,087,872.
TEST(ParameterCountsOfLayers, AreThoseOfBertBase) {
  StackConfig config;
  config.layers = kLayersOfBase;
  config.width = 768;
  config.feed_forward = 3072;
  config.heads = 12;
  EXPECT_EQ(count(EncoderLayer(config, false)), 7087872);
}

TEST(ParameterCountsOfStudy, FullyLearnableRelativeVectors) {
  EXPECT_EQ(positions("shaw(clip=64,tied=true,share=all)"), 8256);
  EXPECT_EQ(positions("relative-sinusoidal(learned=true)"), 32);
  EXPECT_EQ(positions("learnable-sinusoidal"), 384);
}

}  // namespace
}  // namespace dietmt::encoders
