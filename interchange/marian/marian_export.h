// Models as marian-decoder reads them: a binary file with fp32 weights and Marian's options, and
// vocabularies.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "nmt/model/config.h"
#include "nmt/network/model_directory.h"

namespace dietmt::interchange {

/// The choices of a model that Marian does not have, one sentence each.
std::vector<std::string> marian_problems(const nmt::ModelConfig& config);

/// Writes model.bin, the vocabularies, and decoder.yml, which names them with search options for
/// `marian-decoder -c decoder.yml`, into `directory`, which must exist. Throws ConfigError with all
/// choices that Marian does not have; one of them is a vector of begin of sentence that is not
/// zero, from which Marian's decoder starts.
void export_marian(const std::filesystem::path& directory, const nmt::LoadedModel& model);

}  // namespace dietmt::interchange
