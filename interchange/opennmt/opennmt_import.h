// Transformers that OpenNMT-py (Klein et al. 2017), versions 2 and 3, or its successor eole
// trained.
#pragma once

#include <filesystem>
#include <vector>

#include "nmt/network/model_directory.h"

namespace dietmt::interchange {

/// Reads a checkpoint of OpenNMT-py, a .pt file or the directory of the only one, or a directory of
/// eole. `pieces`: one or two sentencepiece models or lists of merges that replace those of the
/// directory. Tensors may be fp32, fp16 or bf16; the model has fp32. Throws CheckpointError or
/// DataError naming the file and what is missing, does not match, or is no part of dietmt's models.
nmt::LoadedModel import_opennmt(const std::filesystem::path& from,
                                const std::vector<std::filesystem::path>& pieces);

}  // namespace dietmt::interchange
