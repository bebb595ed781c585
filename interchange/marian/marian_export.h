// Exports models for marian-decoder: a binary file with fp32 weights and Marian's options, and
// vocabularies.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "nmt/model/config.h"
#include "nmt/network/model_directory.h"

namespace dietmt::interchange {

/// The model's options that Marian does not support, one sentence each.
std::vector<std::string> marian_problems(const nmt::ModelConfig& config);

/// Writes model.bin, the vocabularies and decoder.yml, which names them and sets search options for
/// `marian-decoder -c decoder.yml`, into an existing directory. Throws ConfigError listing every
/// option that Marian does not support, such as a nonzero begin-of-sentence vector: Marian's
/// decoder starts from zeros.
void export_marian(const std::filesystem::path& directory, const nmt::LoadedModel& model);

}  // namespace dietmt::interchange
