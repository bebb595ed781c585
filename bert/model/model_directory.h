// A BERT model on disk: config.json, model.safetensors, and the tokenizer's files.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "data/text/bert_tokenizer.h"
#include "encoders/bert/bert.h"

namespace dietmt::bert {

/// Loads a model directory, or the best checkpoint of a training output directory. Throws
/// CheckpointError naming the file, and the field or tensor at fault. The tokenizer is loaded by
/// data::load_bert_tokenizer() from storage::resolve_model_directory(directory).
std::shared_ptr<encoders::Bert> load_bert(const std::filesystem::path& directory,
                                          at::Device device = at::kCPU);

/// Writes config.json, model.safetensors and, unless it is null, the tokenizer into `directory`,
/// which exists. The weights are `weights` by parameter name (the model's own or averaged ones).
/// Throws ConfigError if the tokenizer has more pieces than the model.
void write_bert(const std::filesystem::path& directory, const encoders::BertConfig& config,
                const std::vector<std::pair<std::string, at::Tensor>>& weights,
                const data::BertTokenizer* tokenizer);

}  // namespace dietmt::bert
