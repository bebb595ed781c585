// A model on disk with its weights as LibTorch tensors (nmt/model/model_files.h).
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "data/text/tokenizer.h"
#include "nmt/model/model_files.h"
#include "nmt/network/translation_model.h"

namespace dietmt::nmt {

struct LoadedModel {
  std::shared_ptr<TranslationModel> model;
  std::shared_ptr<const data::Tokenizer> source_tokenizer;
  std::shared_ptr<const data::Tokenizer> target_tokenizer;  // the same object if both are one
  std::filesystem::path directory;                          // the one that was read

  /// See sentence_context().
  data::SentenceContext context() const;
};

/// Throws CheckpointError, which names config.json and its key, if a position encoding is wrong or
/// the weights would not fit into memory.
void require_buildable(const ModelFiles& files);

/// Checks a configuration that `file` holds.
void require_buildable(const ModelConfig& config, double bytes_per_weight, const std::string& file);

/// The weights of `files`, which must not be packed, with their adapter.
LoadedModel load_model(const ModelFiles& files, at::Device device = at::kCPU);

/// Loads the files of open_model(directory).
LoadedModel load_model(const std::filesystem::path& directory, at::Device device = at::kCPU);

/// The full weights of `files`, with their adapter. Tensors that no adapter changes are views of
/// the mapped file. Throws CheckpointError naming the file.
std::map<std::string, at::Tensor> read_weights(const ModelFiles& files);

/// Writes config.json, model.safetensors and the tokenizers into `directory`, which must exist.
/// `weights` have the names of parameters and are full (the model's own, averaged or EMA weights)
/// or packed as `quantization` says.
void write_model(const std::filesystem::path& directory, const ModelConfig& config,
                 const std::vector<std::pair<std::string, at::Tensor>>& weights,
                 const data::Tokenizer& source, const data::Tokenizer& target,
                 const std::string& quantization = "");

}  // namespace dietmt::nmt
