#include "nmt/network/model_size.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "encoders/position/encodings/encoding_table.h"
#include "nmt/network/translation_model.h"
#include "tests/encoders/counted_parameters.h"

namespace dietmt::nmt {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

ModelConfig with_vocabulary(ModelConfig config, int64_t pieces) {
  config.source_vocabulary = config.target_vocabulary = pieces;
  return config;
}

// All sizes differ, so that none can be confused with another.
ModelConfig small_config() {
  ModelConfig config = with_vocabulary({}, 50);
  config.encoder_layers = 3;
  config.decoder_layers = 2;
  config.width = 24;
  config.feed_forward = 10;
  config.heads = 4;
  config.max_positions = 70;
  return config;
}

void expect_count(const ModelConfig& config) {
  encoders::expect_parameters(parameter_counts(config), TranslationModel(config, 1));
}

TEST(ModelSize, IsThatOfBuiltModelsOfEveryArchitecture) {
  for (const char* norm : {"post", "pre"})
    for (const char* activation : {"relu", "gelu", "silu", "swiglu"})
      for (const char* tied : {"none", "decoder", "all"})
        for (const bool bias : {false, true}) {
          ModelConfig config = small_config();
          config.norm = norm;
          config.activation = activation;
          config.tied_embeddings = tied;
          config.output_bias = bias;
          if (tied != std::string("all")) config.source_vocabulary = 40;
          SCOPED_TRACE(config.norm + " " + config.activation + " " + tied);
          expect_count(config);
        }
}

TEST(ModelSize, IsThatOfBuiltModelsWithOtherNormsAndHeads) {
  for (const char* norm : {"post", "pre"})
    for (const char* decoder : {"self-attention", "ssru"})
      for (const int64_t kv_heads : {0, 1, 2}) {
        ModelConfig config = small_config();
        config.norm = norm;
        config.norm_type = kv_heads == 1 ? "layer" : "rms";
        config.qk_norm = kv_heads != 2;
        config.kv_heads = kv_heads;
        config.decoder_layer = decoder;
        SCOPED_TRACE(config.norm + " " + decoder + " " + std::to_string(kv_heads));
        expect_count(config);
      }
}

TEST(ModelSize, IsThatOfBuiltModelsWithARecurrentDecoder) {
  ModelConfig config = small_config();
  config.decoder_layer = "ssru";
  config.encoder_position = "diet-rel";
  config.decoder_position = "none";
  expect_count(config);
}

TEST(ModelSize, IsThatOfBuiltModelsWithAdapters) {
  ModelConfig config = small_config();
  config.adapter_size = 5;
  expect_count(config);
}

TEST(PositionProblems, ARecurrentDecoderHasNoScores) {
  ModelConfig config = small_config();
  config.decoder_layer = "ssru";
  config.encoder_position = "sinusoidal";
  config.decoder_position = "sinusoidal+diet-rel";
  EXPECT_THAT(
      position_problems(config),
      ElementsAre(AllOf(HasSubstr("column 12: 'diet-rel' is for self-attention"),
                        HasSubstr("--decoder-position none, sinusoidal, learned and learnable"))));
}

TEST(ModelSize, IsThatOfBuiltModelsWithEveryEncoding) {
  using encoders::AttentionSite;
  for (const encoders::EncodingRow& row : encoders::encoding_table()) {
    SCOPED_TRACE(row.name);
    ModelConfig config = with_vocabulary(ModelConfig::preset("tiny"), 50);
    if (row.name.ends_with("segments")) continue;  // translation has none
    if (row.sites.contains(AttentionSite::kEncoder)) config.encoder_position = row.name;
    if (row.sites.contains(AttentionSite::kDecoder)) config.decoder_position = row.name;
    if (row.sites.contains(AttentionSite::kCross)) config.cross_position = row.name;
    expect_count(config);
  }
}

TEST(ModelSize, IsThatOfThePresets) {
  for (const char* preset : {"tiny", "small", "base", "big"}) {
    SCOPED_TRACE(preset);
    expect_count(with_vocabulary(ModelConfig::preset(preset), 8000));
  }
}

TEST(ModelSize, NamesTheSizesThatDoNotFit) {
  ModelConfig config = small_config();
  EXPECT_EQ(memory_problem(config, 4), "");
  config.width = config.feed_forward = 65536;
  config.encoder_layers = config.decoder_layers = 1000;
  const std::string problem = memory_problem(config, 4);
  EXPECT_THAT(problem, StartsWith("--width 65536, --feed-forward 65536, --encoder-layers 1000"));
  // 1000 (4 + 2) + 1000 (8 + 2) matrices of 65536 x 65536, and less than 0.03 % of vectors
  EXPECT_THAT(problem, HasSubstr("needs about 27488"));
  EXPECT_THAT(memory_problem(config, 4, "config.json"),
              StartsWith("config.json: width 65536, feed_forward 65536"));
}

TEST(ModelSize, NamesAPositionEncodingThatDoesNotFit) {
  ModelConfig config = small_config();
  config.encoder_position = config.decoder_position = "diet-abs(rank=1048576)";
  config.max_positions = 1 << 20;
  EXPECT_THAT(memory_problem(config, 4),
              StartsWith("--position 'diet-abs(rank=1048576)', --width 24"));
  EXPECT_THAT(memory_problem(config, 4, "c.json"),
              StartsWith("c.json: encoder_position 'diet-abs(rank=1048576)', decoder_position"));
  config.encoder_position = "none";
  EXPECT_THAT(memory_problem(config, 4), StartsWith("--decoder-position 'diet-abs"));
}

TEST(PositionProblems, NameTheWidthAsOptionOrKey) {
  ModelConfig config = small_config();
  config.encoder_position = config.decoder_position = "sinusoidal";
  config.width = 25;
  const std::string spec = "position encoding \"sinusoidal\", column 1: 'sinusoidal': ";
  EXPECT_THAT(position_problems(config),
              ElementsAre(spec + "sinusoids need an even --width of 4 or more, not 25"));
  EXPECT_THAT(position_problems(config, "c.json"),
              Contains("c.json: encoder_position: " + spec +
                       "sinusoids need an even width of 4 or more, not 25"));
  config.encoder_position = config.decoder_position = "rope";
  config.width = config.heads;
  EXPECT_THAT(position_problems(config), ElementsAre(HasSubstr("(--width / --heads), not 1")));
  EXPECT_THAT(position_problems(config, "c.json"), Contains(HasSubstr("(width / heads), not 1")));
}

TEST(ModelSize, ModelsThatDoNotFitAreNotBuilt) {
  ModelConfig config = small_config();
  config.cross_position = "linformer(length=1048576,share=none)";
  config.max_positions = 1 << 20;
  try {
    TranslationModel(config, 1);
    FAIL() << "built";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), StartsWith("--cross-position 'linformer"));
  }
}

}  // namespace
}  // namespace dietmt::nmt
