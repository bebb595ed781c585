// Transformers that fairseq trained (Ott et al. 2019).
#pragma once

#include <filesystem>
#include <vector>

#include "nmt/network/model_directory.h"

namespace dietmt::interchange {

/// Reads the checkpoint in `from`, a .pt file or its directory, and the dictionaries next to it.
/// `pieces`: one or two sentencepiece models or lists of merges that replace the directory's.
/// Tensors may be fp32, fp16 or bf16; the model has fp32. Throws CheckpointError or DataError
/// naming the file and what is missing, does not match, or is no part of dietmt's models.
nmt::LoadedModel import_fairseq(const std::filesystem::path& from,
                                const std::vector<std::filesystem::path>& pieces);

}  // namespace dietmt::interchange
