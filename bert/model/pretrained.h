// Loads a trained encoder, of dietmt or of Hugging Face's transformers.
#pragma once

#include "interchange/huggingface/bert_huggingface.h"

namespace dietmt::bert {

/// The model directory of what a user names: one with config.json, whose weights may lie in several
/// files, or the best checkpoint of a training output. Throws CheckpointError if there is neither.
std::filesystem::path pretrained_directory(const std::filesystem::path& path);

/// Whether config.json describes a BERT model of this program or of transformers. Throws
/// CheckpointError naming the file if it is damaged.
bool is_bert(const std::filesystem::path& directory);

/// Loads a model directory or training output of this program, or a directory of Hugging Face's
/// transformers, as `options` say (huggingface.h). Throws CheckpointError and ConfigError as
/// load_bert() and import_huggingface() do.
std::shared_ptr<encoders::Bert> load_pretrained(const std::filesystem::path& directory,
                                                const interchange::ImportOptions& options);

}  // namespace dietmt::bert
