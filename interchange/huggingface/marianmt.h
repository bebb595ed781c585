// Translation models of Hugging Face's transformers: MarianMT directories, which all OPUS-MT models
// are, with config.json, model.safetensors (whole or in parts), source.spm, target.spm and
// vocab.json.
#pragma once

#include <filesystem>

#include "nmt/network/model_directory.h"

namespace dietmt::interchange {

/// Reads tensors in fp32, fp16 or bf16; the model has fp32. Begin of sentence is the piece that the
/// decoder starts from there (`<pad>`); the output keeps its bias. Throws CheckpointError or
/// DataError naming the file and what is missing or does not fit.
nmt::LoadedModel import_marianmt(const std::filesystem::path& directory);

/// Writes a directory, which exists, as MarianMTModel and MarianTokenizer read it with
/// `from_pretrained`. Begin of sentence takes the place of their padding. Throws ConfigError with
/// every choice of the model that MarianMT does not have.
void export_marianmt(const std::filesystem::path& directory, const nmt::LoadedModel& model);

}  // namespace dietmt::interchange
