// Translation models for CTranslate2 (4.8): a directory with model.bin, config.json, vocabularies
// and the sentencepiece models, which cut the text for it.
#pragma once

#include <filesystem>

#include "nmt/network/model_directory.h"

namespace dietmt::interchange {

/// Writes fp32 into a directory, which exists; CTranslate2 quantizes when it loads. The decoder
/// starts from begin of sentence, and end of sentence is added to sources there. Throws ConfigError
/// with every choice of the model that CTranslate2 does not have.
void export_ctranslate2(const std::filesystem::path& directory, const nmt::LoadedModel& model);

}  // namespace dietmt::interchange
