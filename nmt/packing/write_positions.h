// Writes the file of stored_positions.h, if the encodings of a model allow it.
#pragma once

#include <filesystem>

#include "nmt/packing/engine_models.h"

namespace dietmt::nmt {

/// Writes no file if at some site the tables for short sentences are not parts of those for long
/// ones, or if all tables together are large. The terms cover sentences of up to 4096 tokens, or as
/// many as the model takes. Returns whether the file was written.
bool write_positions(const std::filesystem::path& directory, const PositionSchemes& schemes,
                     const EngineWeights& weights);

}  // namespace dietmt::nmt
