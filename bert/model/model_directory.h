// A BERT model on disk: config.json, model.safetensors, and the tokenizer's files. It also loads
// the directories of Hugging Face's transformers.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "data/text/bert_tokenizer.h"
#include "encoders/bert/bert.h"
#include "encoders/bert/bert_config.h"
#include "interchange/huggingface/bert_huggingface.h"

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

/// The part "model" of config.json.
nlohmann::json to_json(const encoders::BertConfig& config);

/// Every field must be there. Throws CheckpointError naming one that is missing.
encoders::BertConfig config_from_json(const nlohmann::json& json);

/// The model directory for a path that a user gives: one with config.json, whose weights may lie
/// in several files, or the best checkpoint of a training output. Throws CheckpointError if there
/// is neither.
std::filesystem::path pretrained_directory(const std::filesystem::path& path);

/// Tells models apart: a hash of the configuration and the weights in such a directory.
uint64_t content_hash(const std::filesystem::path& directory);

/// Whether config.json describes a BERT model of this program or of transformers. Throws
/// CheckpointError naming the file if it is damaged.
bool is_bert(const std::filesystem::path& directory);

/// Loads a model directory or training output of this program, or a directory of Hugging Face's
/// transformers, as `options` say (interchange/huggingface/bert_huggingface.h). Throws
/// CheckpointError and ConfigError as load_bert() and import_huggingface() do.
std::shared_ptr<encoders::Bert> load_pretrained(const std::filesystem::path& directory,
                                                const interchange::ImportOptions& options);

}  // namespace dietmt::bert
