// A model on disk with its weights, as LibTorch has them (nmt/model/model_files.h).
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "data/text/tokenizer.h"
#include "nmt/model/model_files.h"
#include "nmt/network/translation_model.h"

namespace dietmt::nmt {

struct LoadedModel {
  std::shared_ptr<TranslationModel> model;
  std::shared_ptr<const data::Tokenizer> source_tokenizer;
  std::shared_ptr<const data::Tokenizer> target_tokenizer;  // the same object if one serves both
  std::filesystem::path directory;                          // the one that was read
};

/// open_model() with the weights, which must be full ones.
LoadedModel load_model(const std::filesystem::path& directory, at::Device device = at::kCPU);

/// Sets the parameters of `model` from model.safetensors in `directory`; every parameter must be
/// there with its shape, and nothing else. Throws CheckpointError.
void load_weights(TranslationModel& model, const std::filesystem::path& directory);

/// Writes config.json, model.safetensors and the tokenizers into `directory`, which exists. The
/// weights are `weights` by parameter name (the model's own, averaged or EMA ones), or packed ones
/// where `quantization` says so.
void write_model(const std::filesystem::path& directory, const ModelConfig& config,
                 const std::vector<std::pair<std::string, at::Tensor>>& weights,
                 const data::Tokenizer& source, const data::Tokenizer& target,
                 const std::string& quantization = "");

}  // namespace dietmt::nmt
