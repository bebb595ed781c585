// A model on disk: config.json, model.safetensors, tokenizer.model (or source.tokenizer.model and
// target.tokenizer.model).
#pragma once

#include <filesystem>
#include <memory>

#include "data/tokenizer.h"
#include "nmt/model/translation_model.h"

namespace dietmt::nmt {

struct LoadedModel {
  std::shared_ptr<TranslationModel> model;
  std::shared_ptr<const data::Tokenizer> source_tokenizer;
  std::shared_ptr<const data::Tokenizer> target_tokenizer;
  std::filesystem::path directory;  // the one that was read
};

/// Loads a model directory, or the best checkpoint of a training output directory. Throws
/// CheckpointError naming the file.
LoadedModel load_model(const std::filesystem::path& directory, at::Device device = at::kCPU);

}  // namespace dietmt::nmt
