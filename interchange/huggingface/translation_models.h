// Translation models of Hugging Face's transformers, by the model_type of their config.json.
#pragma once

#include <filesystem>

#include "nmt/network/model_directory.h"

namespace dietmt::interchange {

/// MarianMT (marianmt.h), M2M-100, NLLB-200, mBART-50 (bart.h), T5, mT5 and MADLAD-400
/// (t5.h). Throws CheckpointError or DataError naming the file and what is missing or does not
/// match.
nmt::LoadedModel import_translation_model(const std::filesystem::path& directory);

}  // namespace dietmt::interchange
