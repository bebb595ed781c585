// Translation models of transformers that descend from BART: M2M-100 and NLLB-200 (m2m_100) and
// mBART-50 (mbart).
#pragma once

#include <filesystem>

#include "nmt/network/model_directory.h"

namespace dietmt::interchange {

/// Reads tensors in fp32, fp16 or bf16; the model has fp32. The languages of the vocabulary become
/// those of the model (ModelConfig::languages): their pieces begin sources and translations. Throws
/// CheckpointError or DataError naming the file and what is missing or does not match.
nmt::LoadedModel import_bart(const std::filesystem::path& directory);

}  // namespace dietmt::interchange
