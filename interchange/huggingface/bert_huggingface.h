// BERT, RoBERTa and XLM-R models of Hugging Face's transformers: a directory with config.json and
// weights (weights.h).
// data::load_bert_tokenizer() reads the tokenizer of such a directory.
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
  /// Replaces the position encodings of the model, e.g. "diet-rel"; encodings that the model has
  /// keep its values ("learned+diet-rel" of an absolute model). Empty: keep the model's encodings.
  std::string position;
  /// Unset: the heads in the file. A head that is missing, or has another number of classes, starts
  /// at random; the log says so.
  std::optional<encoders::BertHeads> heads;
  uint64_t seed = 1;  // of parameters that start at random
};

/// Reads tensors with or without the prefix "bert." or "roberta.", in fp32, fp16 or bf16; the model
/// has fp32. Warns once of the tensors that the model does not have. Throws CheckpointError naming
/// the file and the tensor that is missing or has a wrong shape, ConfigError for a wrong position
/// encoding.
std::shared_ptr<encoders::Bert> import_huggingface(const std::filesystem::path& directory,
                                                   const ImportOptions& options = {});

/// Writes config.json, model.safetensors and, unless it is null, the tokenizer into an existing
/// directory, in the format of `from_pretrained`: a BERT, or with the tokenizer of XLM-R an XLM-R.
/// Throws ConfigError with every property that transformers does not support: its position
/// encodings are learned and, in BERT, relative-key and relative-key-query. `labels`: the names of
/// the classes of its classifier; LABEL_0, LABEL_1, ... if there are none.
void export_huggingface(const std::filesystem::path& directory, const encoders::Bert& model,
                        const data::BertTokenizer* tokenizer,
                        const std::vector<std::string>& labels = {});

/// What config.json says of an encoder.
struct EncoderDescription {
  encoders::BertConfig config;  // the pooler and the heads follow from the tensors
  const EncoderFamily* family = nullptr;
  int64_t first_position = 0;  // row of the first token in the table of positions
};

/// Throws CheckpointError naming the file if it describes a model that dietmt does not support.
EncoderDescription read_encoder_description(const std::filesystem::path& config_json);

/// The names of a classifier's classes in config.json; none of a regression, which has one number.
std::vector<std::string> class_labels(const std::filesystem::path& config_json, int64_t classes);

/// config.json of a BERT. Throws ConfigError with every choice that transformers does not support.
nlohmann::json to_bert_config(const encoders::BertConfig& config,
                              const std::vector<std::string>& labels = {});

/// The same of an XLM-R.
nlohmann::json to_xlm_roberta_config(const encoders::BertConfig& config,
                                     const data::SpecialPieces& special,
                                     const std::vector<std::string>& labels = {});

}  // namespace dietmt::interchange
