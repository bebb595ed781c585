// Transformers that JoeyNMT (Kreutzer et al. 2019) trained.
#pragma once

#include <filesystem>
#include <vector>

#include "nmt/network/model_directory.h"

namespace dietmt::interchange {

/// Reads a model's directory: config.yaml, best.ckpt or the only .ckpt file, src_vocab.txt,
/// trg_vocab.txt, and the sentencepiece models or BPE codes that config.yaml names. `pieces`: one
/// or two files that replace the latter. Throws CheckpointError or DataError naming the file and
/// what is missing, does not match, or is no part of dietmt's models.
nmt::LoadedModel import_joeynmt(const std::filesystem::path& directory,
                                const std::vector<std::filesystem::path>& pieces);

}  // namespace dietmt::interchange
