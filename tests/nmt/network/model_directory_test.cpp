#include "nmt/network/model_directory.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "data/text/tokenizer_training.h"
#include "encoders/weights/adapter_layers.h"
#include "training/optimization/optimizer.h"

namespace dietmt::nmt {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ModelDirectoryTest : public testing::Test {
 protected:
  void SetUp() override {
    // Tests of this program may run in parallel processes.
    directory_ =
        fs::path(testing::TempDir()) / ("model_directory_test_" + std::to_string(::getpid()));
    fs::remove_all(directory_);
    fs::create_directories(directory_);
    {
      std::ofstream text(directory_ / "text");
      for (int i = 0; i < 200; ++i) text << "the cat " << i << " sees the dog " << i * 7 << "\n";
    }
    data::TokenizerOptions options;
    options.inputs = {(directory_ / "text").string()};
    options.vocabulary_size = 40;
    data::train_tokenizer(options, directory_ / "joint.model");
    tokenizer_ = std::make_unique<data::Tokenizer>(directory_ / "joint.model");
    ModelConfig config = ModelConfig::preset("tiny");
    config.encoder_layers = config.decoder_layers = 1;
    config.source_vocabulary = config.target_vocabulary = tokenizer_->vocabulary_size();
    config.encoder_position = "shaw(clip=4)";
    model_ = std::make_unique<TranslationModel>(config, 5);
  }
  void TearDown() override { fs::remove_all(directory_); }

  void write() {
    training::NamedTensors weights;
    for (const auto& item : model_->named_parameters())
      weights.emplace_back(item.key(), item.value());
    write_model(directory_, model_->config(), weights, *tokenizer_, *tokenizer_);
  }

  std::string failure() const {
    try {
      load_model(directory_);
    } catch (const CheckpointError& error) {
      return error.what();
    }
    return "loaded";
  }

  fs::path directory_;
  std::unique_ptr<data::Tokenizer> tokenizer_;
  std::unique_ptr<TranslationModel> model_;
};

TEST_F(ModelDirectoryTest, SavesAndLoadsExactly) {
  write();
  const LoadedModel loaded = load_model(directory_);
  const auto expected = model_->named_parameters();
  ASSERT_EQ(loaded.model->named_parameters().size(), expected.size());
  for (const auto& item : loaded.model->named_parameters())
    EXPECT_TRUE(at::equal(item.value(), expected[item.key()])) << item.key();
  EXPECT_EQ(loaded.model->config().to_json(), model_->config().to_json());
  EXPECT_EQ(loaded.source_tokenizer, loaded.target_tokenizer);
  EXPECT_EQ(loaded.source_tokenizer->encode("the cat"), tokenizer_->encode("the cat"));
}

TEST_F(ModelDirectoryTest, AnAdapterAddsItsLayers) {
  write();
  ModelConfig config = model_->config();
  config.adapter_size = 3;
  const RebuiltModel adapted = rebuild(*model_, config, 6);
  std::map<std::string, at::Tensor> weights;
  for (const auto& item : adapted.model->named_parameters()) weights[item.key()] = item.value();
  const fs::path adapter = directory_ / "x.adapter";
  encoders::save_adapter_layers(adapter, weights);
  const LoadedModel loaded = load_model(adapter);
  EXPECT_EQ(loaded.model->config().adapter_size, 3);
  for (const auto& item : loaded.model->named_parameters())
    EXPECT_TRUE(at::equal(item.value(), weights[item.key()])) << item.key();
  EXPECT_EQ(load_model(directory_).model->config().adapter_size, 0);
}

TEST_F(ModelDirectoryTest, NamesAMissingConfigField) {
  write();
  auto json = nlohmann::json::parse(read_file(directory_ / "config.json"));
  json["model"].erase("width");
  write_file_atomically(directory_ / "config.json", json.dump());
  EXPECT_THAT(failure(), HasSubstr("config.json: width is missing"));
}

TEST_F(ModelDirectoryTest, NamesATensorOfAnotherShape) {
  write();
  auto json = nlohmann::json::parse(read_file(directory_ / "config.json"));
  json["model"]["feed_forward"] = 64;
  write_file_atomically(directory_ / "config.json", json.dump());
  EXPECT_THAT(failure(), HasSubstr("feed_forward.inner_"));
}

TEST_F(ModelDirectoryTest, NamesAnUnknownFormat) {
  write();
  auto json = nlohmann::json::parse(read_file(directory_ / "config.json"));
  json["format"] = 99;
  write_file_atomically(directory_ / "config.json", json.dump());
  EXPECT_THAT(failure(), HasSubstr("format 99"));
}

TEST_F(ModelDirectoryTest, NamesAModelOfAnotherKind) {
  write();
  write_file_atomically(directory_ / "config.json",
                        R"({"format": 1, "architecture": "bert", "model": {}})");
  EXPECT_THAT(failure(), HasSubstr("describes a model of kind \"bert\", not a translation model"));
}

}  // namespace
}  // namespace dietmt::nmt
