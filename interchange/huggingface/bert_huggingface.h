// BERT models of Hugging Face's transformers: a directory with config.json (model_type "bert") and
// model.safetensors, whole or in parts that model.safetensors.index.json lists. Tokenizers are the
// business of data::load_bert_tokenizer(), which reads such a directory too.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "data/text/bert_tokenizer.h"
#include "encoders/bert/bert.h"

namespace dietmt::interchange {

struct ImportOptions {
  /// Position encodings in place of the model's own, e.g. "diet-rel"; those that are the model's
  /// keep its values ("learned+diet-rel" of an absolute model). Empty: the model's own.
  std::string position;
  /// None: the heads that the file has. A head that it lacks, or has for another number of classes,
  /// starts anew; the log says so.
  std::optional<encoders::BertHeads> heads;
  uint64_t seed = 1;  // of what starts anew
};

/// Reads tensors with or without the prefix "bert.", in fp32, fp16 or bf16; the model has fp32.
/// Tensors without a place in the model are named in one warning. Throws CheckpointError naming the
/// file and what is missing or does not fit, ConfigError for a wrong position encoding.
std::shared_ptr<encoders::Bert> import_huggingface(const std::filesystem::path& directory,
                                                   const ImportOptions& options = {});

/// Writes config.json, model.safetensors and, unless it is null, the tokenizer into `directory`,
/// which exists, as `from_pretrained` reads them. Throws ConfigError with every choice that
/// transformers does not have: its position encodings are learned, relative-key and
/// relative-key-query.
void export_huggingface(const std::filesystem::path& directory, const encoders::Bert& model,
                        const data::BertTokenizer* tokenizer);

}  // namespace dietmt::interchange
