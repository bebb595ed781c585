// Transformers that Sockeye 3 (Hieber et al. 2022) trained.
#pragma once

#include <filesystem>
#include <vector>

#include "nmt/network/model_directory.h"

namespace dietmt::interchange {

/// Reads a model's directory: config, params.best, vocab.src.0.json, vocab.trg.0.json, and what
/// cuts text into pieces. `pieces`: one or two sentencepiece models or lists of merges that replace
/// the latter. Tensors may be fp32, fp16 or bf16; the model has fp32. Throws CheckpointError or
/// DataError naming the file and what is missing, does not match, or is no part of dietmt's models.
nmt::LoadedModel import_sockeye(const std::filesystem::path& directory,
                                const std::vector<std::filesystem::path>& pieces);

}  // namespace dietmt::interchange
