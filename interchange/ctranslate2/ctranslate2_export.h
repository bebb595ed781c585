// Exports translation models to CTranslate2 (4.8): a directory with model.bin, config.json, the
// vocabularies and the sentencepiece models.
#pragma once

#include <filesystem>

#include "nmt/network/model_directory.h"

namespace dietmt::interchange {

/// Writes fp32 into an existing directory; CTranslate2 quantizes models when it loads them. It
/// starts the decoder with begin of sentence and appends end of sentence to sources. Throws
/// ConfigError listing every property of the model that CTranslate2 does not support.
void export_ctranslate2(const std::filesystem::path& directory, const nmt::LoadedModel& model);

}  // namespace dietmt::interchange
