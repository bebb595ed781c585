// Models of the engine: packed from a trainable model, or from files. A model directory holds full
// weights, which are packed when they are loaded, or packed ones, which processes map and share.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "nmt/engine/engine_model.h"
#include "nmt/engine/stored_weights.h"
#include "nmt/network/model_directory.h"

namespace dietmt::encoders {
class PositionScheme;
}

namespace dietmt::nmt {

class TranslationModel;

/// The position encodings of the three sites.
struct PositionSchemes {
  std::shared_ptr<const encoders::PositionScheme> encoder;
  std::shared_ptr<const encoders::PositionScheme> decoder;
  std::shared_ptr<const encoders::PositionScheme> cross;
};

/// Writes positions.safetensors (lower_positions.h) of a model whose encodings have no parameters.
void write_positions(const std::filesystem::path& directory, const ModelConfig& config,
                     const EngineWeights& weights);

EngineModel make_engine_model(std::shared_ptr<const EngineWeights> weights,
                              const PositionSchemes& positions);

/// `model` must be on the CPU; the result does not refer to it.
EngineModel make_engine_model(const TranslationModel& model, kernels::WeightType type);

/// `wanted`: none for the type that the directory has. Throws CheckpointError, which names the
/// file, and ConfigError if packed weights have another type than `wanted`.
EngineModel load_engine_model(const ModelFiles& files, std::optional<kernels::WeightType> wanted);

/// Writes a copy of `model`, which has full weights or packed fp32 ones, into `directory`, which
/// must exist: with packed weights of type "int8", "bf16" or "fp32" and, if its encodings allow it,
/// with position terms (lower_positions.h).
void write_quantized(const std::filesystem::path& directory, const ModelFiles& model,
                     const std::string& type);

}  // namespace dietmt::nmt
