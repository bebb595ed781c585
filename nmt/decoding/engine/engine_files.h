// Models of the engine on disk: full weights, which are packed when they are loaded, and weights
// that lie in the file as the engine reads them, so that processes share them and nothing is
// copied.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "nmt/decoding/engine/engine_model.h"
#include "nmt/model/model_directory.h"

namespace dietmt::nmt {

/// "fp32", "bf16" or "int8". Throws ConfigError listing them.
kernels::WeightType parse_weight_type(const std::string& name);

/// The same, and "auto" for none: as a model directory has them.
std::optional<kernels::WeightType> parse_weight_choice(const std::string& name);

/// `wanted`: none for the type that the directory has. Throws CheckpointError naming the file, and
/// ConfigError if another type than the stored one is wanted.
EngineModel load_engine_model(const ModelFiles& files, std::optional<kernels::WeightType> wanted);

/// Writes `model`, which has full weights, with packed ones of type "int8" or "bf16" into
/// `directory`, which exists.
void write_quantized(const std::filesystem::path& directory, const ModelFiles& model,
                     const std::string& type);

}  // namespace dietmt::nmt
