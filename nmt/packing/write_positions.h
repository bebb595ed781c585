// Writes the file of stored_positions.h, where the encodings of a model allow it.
#pragma once

#include <filesystem>

#include "nmt/packing/engine_models.h"

namespace dietmt::nmt {

/// Into `directory`, unless the tables for short sentences are not parts of those for long ones at
/// some site, or all together are large. Terms are stored for sentences of up to 4096 tokens, or as
/// long as the model takes. Returns whether the file was written.
bool write_positions(const std::filesystem::path& directory, const PositionSchemes& schemes,
                     const EngineWeights& weights);

}  // namespace dietmt::nmt
