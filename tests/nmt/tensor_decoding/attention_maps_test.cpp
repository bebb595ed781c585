#include "nmt/tensor_decoding/attention_maps.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <string>

namespace dietmt::nmt {
namespace {

using at::Tensor;
using Ids = std::vector<int32_t>;

const Ids kSource = {5, 9, 7, 30, 2};
const Ids kTarget = {11, 8, 2};

TranslationModel small_model(const std::string& position) {
  ModelConfig config;
  config.source_vocabulary = config.target_vocabulary = 50;
  config.encoder_layers = 3;
  config.decoder_layers = 2;
  config.width = 32;
  config.feed_forward = 48;
  config.heads = 4;
  config.max_positions = 64;
  config.encoder_position = config.decoder_position = position;
  return TranslationModel(config, 3);
}

void expect_probabilities(const std::vector<Tensor>& maps, int64_t layers, int64_t rows,
                          int64_t columns) {
  ASSERT_EQ(static_cast<int64_t>(maps.size()), layers);
  for (const Tensor& map : maps) {
    EXPECT_EQ(map.sizes(), at::IntArrayRef({4, rows, columns}));
    EXPECT_TRUE(at::allclose(map.sum(-1), at::ones({4, rows})));
    EXPECT_GE(map.min().item<float>(), 0);
  }
}

TEST(AttentionMapsTest, HaveARowForEachQueryAndAColumnForEachKey) {
  const AttentionMaps maps = attention_maps(small_model("diet-rel"), kSource, kTarget, 1);
  expect_probabilities(maps.encoder, 3, 5, 5);
  expect_probabilities(maps.decoder, 2, 3, 3);
  expect_probabilities(maps.cross, 2, 3, 5);
  for (const Tensor& map : maps.decoder) EXPECT_TRUE(at::equal(map, map.tril()));
}

TEST(AttentionMapsTest, CrossAttentionFollowsTheTokens) {
  const TranslationModel model = small_model("sinusoidal");
  const AttentionMaps maps = attention_maps(model, kSource, kTarget, 1);
  Ids other_end = kTarget;
  other_end[1] = 40;  // read only by the last position
  const AttentionMaps changed = attention_maps(model, kSource, other_end, 1);
  const Tensor difference = maps.cross[0] - changed.cross[0];
  EXPECT_EQ(difference.slice(1, 0, 2).abs().max().item<float>(), 0);
  EXPECT_GT(difference.slice(1, 2, 3).abs().max().item<float>(), 0);
}

TEST(AttentionMapsTest, PositionScoresAreThoseOfTheEncoding) {
  TranslationModel model = small_model("alibi");
  const AttentionMaps maps = attention_maps(model, kSource, kTarget, 1);
  ASSERT_EQ(maps.encoder_positions.size(), 3U);
  ASSERT_EQ(maps.decoder_positions.size(), 2U);
  const Tensor last = maps.decoder_positions[1];
  EXPECT_EQ(last.sizes(), at::IntArrayRef({4, 3, 3}));
  EXPECT_TRUE(at::equal(last, last.tril()));
  EXPECT_LT(last[0][2][0].item<float>(), last[0][2][1].item<float>()) << "farther is less";
  EXPECT_TRUE(attention_maps(small_model("none"), kSource, kTarget, 1).encoder_positions.empty());
}

TEST(AttentionMapsTest, CompressedKeysHaveNoMap) {
  ModelConfig config = small_model("sinusoidal").config();
  config.encoder_position = "sinusoidal+linformer(length=4)";
  const AttentionMaps maps = attention_maps(TranslationModel(config, 3), kSource, kTarget, 1);
  EXPECT_TRUE(maps.encoder.empty());
  EXPECT_TRUE(maps.encoder_positions.empty());
  expect_probabilities(maps.cross, 2, 3, 5);
}

}  // namespace
}  // namespace dietmt::nmt
