// A model on disk: config.json, model.safetensors, tokenizer.model (or source.tokenizer.model and
// target.tokenizer.model).
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "data/tokenizer.h"
#include "nmt/model/translation_model.h"

namespace dietmt::nmt {

struct Tokenizers {
  std::shared_ptr<const data::Tokenizer> source;
  std::shared_ptr<const data::Tokenizer> target;  // the same object if one serves both
};

/// The tokenizers in a model directory. Throws DataError naming the file.
Tokenizers load_tokenizers(const std::filesystem::path& directory);

/// A model directory without its weights.
struct ModelFiles {
  std::filesystem::path directory;  // the one that was read
  ModelConfig config;
  std::string quantization;  // "int8" or "bf16": the weights are packed for decoding; else empty
  Tokenizers tokenizers;

  std::filesystem::path weights() const;
  /// Throws CheckpointError if the weights are packed: only decoding reads those.
  void require_full_weights() const;
};

/// Reads a model directory, or the best checkpoint of a training output directory. Throws
/// CheckpointError or DataError naming the file.
ModelFiles open_model(const std::filesystem::path& directory);

struct LoadedModel {
  std::shared_ptr<TranslationModel> model;
  std::shared_ptr<const data::Tokenizer> source_tokenizer;
  std::shared_ptr<const data::Tokenizer> target_tokenizer;  // the same object if one serves both
  std::filesystem::path directory;                          // the one that was read
};

/// The same with its weights, which must be full ones.
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
