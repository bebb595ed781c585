// Shared by tests of the engine's files: small models on disk, full and packed.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "data/text/tokenizer_training.h"
#include "nmt/network/model_directory.h"
#include "nmt/packing/engine_models.h"
#include "tests/nmt/engine/engine_run.h"

namespace dietmt::nmt {

class ModelFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::path(testing::TempDir()) /
                 ("model_files_test_" + std::to_string(::getpid()));
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(full());
    {
      std::ofstream text(directory_ / "text");
      for (int i = 0; i < 300; ++i) text << "the cat " << i << " sees a dog " << i * 7 << "\n";
    }
    data::TokenizerOptions options;
    options.inputs = {(directory_ / "text").string()};
    options.vocabulary_size = kVocabulary;
    data::train_tokenizer(options, directory_ / "joint.model");
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path full() const { return directory_ / "full"; }

  /// Writes full() and returns it.
  std::shared_ptr<TranslationModel> write_full(const ModelConfig& config) {
    auto model = lively_model(config, 3);
    const data::Tokenizer tokenizer(directory_ / "joint.model");
    std::vector<std::pair<std::string, at::Tensor>> tensors;
    for (const auto& item : model->named_parameters())
      tensors.emplace_back(item.key(), item.value());
    write_model(full(), model->config(), tensors, tokenizer, tokenizer);
    return model;
  }

  /// Packs the full model into a directory named after the type.
  std::filesystem::path quantized(const std::string& type) {
    const std::filesystem::path directory = directory_ / type;
    std::filesystem::remove_all(directory);
    std::filesystem::create_directories(directory);
    write_quantized(directory, open_model(full()), type);
    return directory;
  }

  std::filesystem::path directory_;
};

}  // namespace dietmt::nmt
