// Lowers the position terms of encodings with LibTorch, for the engine or for the file of
// stored_positions.h (write_positions.cpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "nmt/engine/position_tables.h"
#include "nmt/engine/position_terms.h"
#include "nmt/packing/engine_models.h"

namespace dietmt::encoders {
class PositionScheme;
}

namespace dietmt::nmt {

/// The terms for sentences of up to `length` tokens, which the scheme must cover.
SiteTerms lower_terms(const encoders::PositionScheme& scheme, const SiteSizes& sizes,
                      int64_t length);

/// Tables that are lowered when a sentence first needs them.
std::unique_ptr<PositionTables> lower_positions(
    std::shared_ptr<const encoders::PositionScheme> scheme, const SiteSizes& sizes);

/// Writes positions.safetensors. Writes no file if at some site the tables for short sentences are
/// not parts of those for long ones, or if all tables together are large. The terms cover sentences
/// of up to 4096 tokens, or as many as the model takes. Returns whether the file was written.
bool write_positions(const std::filesystem::path& directory, const PositionSchemes& schemes,
                     const EngineWeights& weights);

}  // namespace dietmt::nmt
