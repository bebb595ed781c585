// Translation models of Hugging Face's transformers: MarianMT directories, which all OPUS-MT models
// are, with config.json, model.safetensors (in one or several files), source.spm, target.spm and
// vocab.json.
#pragma once

#include <filesystem>

#include "nmt/network/model_directory.h"

namespace dietmt::interchange {

/// Reads tensors in fp32, fp16 or bf16; the model has fp32. Begin of sentence is the piece that
/// MarianMT's decoder starts with (`<pad>`). Throws CheckpointError or DataError naming the file
/// and what is missing or does not fit.
nmt::LoadedModel import_marianmt(const std::filesystem::path& directory);

/// Writes into an existing directory the files that `from_pretrained` of MarianMTModel and
/// MarianTokenizer reads. Begin of sentence becomes their padding. Throws ConfigError with every
/// property of the model that MarianMT does not support.
void export_marianmt(const std::filesystem::path& directory, const nmt::LoadedModel& model);

}  // namespace dietmt::interchange
