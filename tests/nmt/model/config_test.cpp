#include "nmt/model/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/error.h"

namespace dietmt::nmt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ModelConfig valid_config() {
  ModelConfig config = ModelConfig::preset("tiny");
  config.source_vocabulary = config.target_vocabulary = 100;
  return config;
}

TEST(ModelConfig, PresetsHaveThePublishedSizes) {
  const ModelConfig base = ModelConfig::preset("base");
  EXPECT_EQ(base.encoder_layers, 6);
  EXPECT_EQ(base.decoder_layers, 6);
  EXPECT_EQ(base.width, 512);
  EXPECT_EQ(base.feed_forward, 2048);
  EXPECT_EQ(base.heads, 8);
  EXPECT_THROW(ModelConfig::preset("huge"), ConfigError);
}

TEST(ModelConfig, JsonRoundTrip) {
  ModelConfig config = valid_config();
  config.norm = "pre";
  config.dropout = 0.25;
  config.encoder_position = "diet-rel";
  EXPECT_EQ(ModelConfig::from_json(config.to_json()).to_json(), config.to_json());
}

TEST(ModelConfig, ReadsWhatEarlierVersionsWrote) {
  ModelConfig config = valid_config();
  config.output_bias = true;
  nlohmann::json json = config.to_json();
  EXPECT_TRUE(ModelConfig::from_json(json).output_bias);
  json.erase("output_bias");
  EXPECT_FALSE(ModelConfig::from_json(json).output_bias);
}

TEST(ModelConfig, NormsAndHeadsOfEarlierVersions) {
  ModelConfig config = valid_config();
  config.norm_type = "rms";
  config.qk_norm = true;
  config.kv_heads = 2;
  nlohmann::json json = config.to_json();
  const ModelConfig read = ModelConfig::from_json(json);
  EXPECT_EQ(read.norm_type, "rms");
  EXPECT_TRUE(read.qk_norm);
  EXPECT_EQ(read.kv_heads, 2);
  for (const char* key : {"norm_type", "qk_norm", "kv_heads"}) json.erase(key);
  const ModelConfig earlier = ModelConfig::from_json(json);
  EXPECT_EQ(earlier.norm_type, "layer");
  EXPECT_FALSE(earlier.qk_norm);
  EXPECT_EQ(earlier.kv_heads, 0);
  config.kv_heads = 3;
  config.norm_type = "batch";
  EXPECT_THAT(config.problems(), ElementsAre("--heads 4 is not divisible by --kv-heads 3",
                                             HasSubstr("--norm-type is 'batch'")));
}

TEST(ModelConfig, EarlierVersionsHadNoAdapters) {
  ModelConfig config = valid_config();
  config.adapter_size = 64;
  nlohmann::json json = config.to_json();
  EXPECT_EQ(ModelConfig::from_json(json).adapter_size, 64);
  json.erase("adapter_size");
  EXPECT_EQ(ModelConfig::from_json(json).adapter_size, 0);
  config.adapter_size = -1;
  EXPECT_THAT(config.problems("model/config.json"),
              ElementsAre(HasSubstr("model/config.json: adapter_size is -1")));
}

TEST(ModelConfig, SearchHasNumbersByName) {
  ModelConfig config = valid_config();
  EXPECT_FALSE(config.to_json().contains("search"));
  config.search = {{"beam", 4}, {"length_penalty", 0.5}};
  nlohmann::json json = config.to_json();
  EXPECT_EQ(json.at("search").dump(), R"({"beam":4,"length_penalty":0.5})");
  EXPECT_EQ(ModelConfig::from_json(json).search, config.search);
  json["search"]["beam"] = "4";
  EXPECT_THROW(ModelConfig::from_json(json), CheckpointError);
}

TEST(ModelConfig, SearchHasPiecesThatAreNeverGenerated) {
  ModelConfig config = valid_config();
  config.suppressed = {.sequences = {{"a", "b"}, {"c"}}, .first = {"d"}};
  nlohmann::json json = config.to_json();
  EXPECT_EQ(json.at("search").dump(),
            R"({"suppressed":[["a","b"],["c"]],"suppressed_first":["d"]})");
  EXPECT_EQ(ModelConfig::from_json(json).suppressed, config.suppressed);
  EXPECT_TRUE(ModelConfig::from_json(json).search.empty());
  for (const char* wrong : {R"({"suppressed":["a"]})", R"({"suppressed":[[]]})",
                            R"({"suppressed":"a"})", R"({"suppressed_first":[["a"]]})"}) {
    json["search"] = nlohmann::json::parse(wrong);
    EXPECT_THROW(ModelConfig::from_json(json), CheckpointError) << wrong;
  }
}

TEST(ModelConfig, MissingFieldIsNamed) {
  nlohmann::json json = valid_config().to_json();
  json.erase("heads");
  try {
    ModelConfig::from_json(json);
    FAIL() << "accepted";
  } catch (const CheckpointError& error) {
    EXPECT_THAT(error.what(), HasSubstr("heads"));
  }
}

TEST(ModelConfig, ReportsAllProblemsAtOnce) {
  ModelConfig config = valid_config();
  EXPECT_TRUE(config.problems().empty());
  config.heads = 3;
  config.norm = "middle";
  config.dropout = 1.0;
  config.target_vocabulary = 99;
  EXPECT_THAT(config.problems(),
              ElementsAre(HasSubstr("--heads 3"), HasSubstr("'middle'"),
                          HasSubstr("--tied-embeddings all"), HasSubstr("--dropout")));
}

TEST(ModelConfig, ProblemsOfAFileNameItAndTheKey) {
  ModelConfig config = valid_config();
  config.encoder_layers = 0;
  config.width = 7;
  config.tied_embeddings = "some";
  EXPECT_THAT(config.problems("model/config.json"),
              ElementsAre("model/config.json: encoder_layers is 0; it must be from 1 to 1024",
                          "model/config.json: width 7 is not divisible by heads 4",
                          "model/config.json: tied_embeddings is 'some'; it must be none, decoder "
                          "or all"));
}

}  // namespace
}  // namespace dietmt::nmt
