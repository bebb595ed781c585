// Models of the engine on disk: full weights, which are packed when they are loaded, and weights
// that lie in the file as the engine reads them, so that processes share them and nothing is
// copied.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "nmt/engine/engine_model.h"
#include "nmt/engine/weight_types.h"
#include "nmt/network/model_directory.h"

namespace dietmt::nmt {

/// `wanted`: none for the type that the directory has. Throws CheckpointError naming the file, and
/// ConfigError if another type than the stored one is wanted.
EngineModel load_engine_model(const ModelFiles& files, std::optional<kernels::WeightType> wanted);

/// Writes `model`, which has full weights, with packed ones of type "int8", "bf16" or
/// "fp32" and, where they allow it, the terms of its positions (write_positions.h) into
/// `directory`, which exists.
void write_quantized(const std::filesystem::path& directory, const ModelFiles& model,
                     const std::string& type);

}  // namespace dietmt::nmt
