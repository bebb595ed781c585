// BERT, RoBERTa and XLM-R models of Hugging Face's transformers: a directory with config.json and
// weights (weights.h). data::load_bert_tokenizer() reads its tokenizer.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "data/text/bert_tokenizer.h"
#include "encoders/bert/bert.h"
#include "encoders/bert/bert_config.h"
#include "interchange/huggingface/encoder_names.h"

namespace dietmt::interchange {

struct ImportOptions {
  /// Replaces the model's position encodings, e.g. "diet-rel"; encodings that the model already has
  /// keep their values ("learned+diet-rel" for an absolute model). Empty: keep the model's
  /// encodings.
  std::string position;
  /// Unset: the heads in the file. A head that is missing, or has another number of classes, starts
  /// at random; the log says so.
  std::optional<encoders::BertHeads> heads;
  uint64_t seed = 1;  // of parameters that start at random
};

/// Reads tensors with or without the prefix "bert." or "roberta.", in fp32, fp16 or bf16; the model
/// has fp32. Warns once about tensors that the model does not use. Throws CheckpointError naming
/// the file and the tensor that is missing or has the wrong shape, and ConfigError for an invalid
/// position encoding.
std::shared_ptr<encoders::Bert> import_huggingface(const std::filesystem::path& directory,
                                                   const ImportOptions& options = {});

/// Writes config.json, model.safetensors and, unless it is null, the tokenizer into an existing
/// directory, in the format of `from_pretrained`: an XLM-R if the tokenizer is XLM-R's, else a
/// BERT. Throws ConfigError listing every property that transformers does not support; its position
/// encodings are learned and, in BERT, relative-key and relative-key-query. `labels`: names of the
/// classifier's classes or tags; LABEL_0, LABEL_1, ... if there are none.
void export_huggingface(const std::filesystem::path& directory, const encoders::Bert& model,
                        const data::BertTokenizer* tokenizer,
                        const std::vector<std::string>& labels = {});

/// What config.json says about an encoder.
struct EncoderDescription {
  encoders::BertConfig config;  // the pooler and the heads follow from the tensors
  const EncoderFamily* family = nullptr;
  int64_t first_position = 0;  // row of the first token in the position table
};

/// Throws CheckpointError naming the file if it describes a model that dietmt does not support.
EncoderDescription read_encoder_description(const std::filesystem::path& config_json);

/// Names of a classifier's classes or tags in config.json; none for a regression, which outputs one
/// number.
std::vector<std::string> class_labels(const std::filesystem::path& config_json, int64_t classes);

/// config.json of a BERT. Throws ConfigError listing every option that transformers does not
/// support.
nlohmann::json to_bert_config(const encoders::BertConfig& config,
                              const std::vector<std::string>& labels = {});

/// config.json of an XLM-R; throws likewise.
nlohmann::json to_xlm_roberta_config(const encoders::BertConfig& config,
                                     const data::SpecialPieces& special,
                                     const std::vector<std::string>& labels = {});

}  // namespace dietmt::interchange
