// The position terms of a packed model on disk, next to its weights, so that decoding needs no
// position encodings. They are tables in a safetensors file, used where they are mapped, and
// features, which are multiplied; JSON text in its `__metadata__` maps the terms of each layer to
// tables.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "nmt/engine/position_tables.h"
#include "nmt/engine/position_terms.h"

namespace dietmt::nmt {

inline constexpr const char* kPositionsFile = "positions.safetensors";
inline constexpr const char* kPositionsEntry = "positions";  // of `__metadata__`

/// A table of sinusoids, computed when the file is read: sin(t w) and cos(t w) of position t.
struct Sinusoids {
  bool halves = false;              // all sines before all cosines, instead of pairs
  std::vector<double> frequencies;  // [D/2]

  /// [length, D]
  std::vector<float> rows(int64_t length) const;
};

struct StoredSite {
  static constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

  SiteTerms terms;                     // of sentences of up to terms.length tokens
  std::optional<Sinusoids> sinusoids;  // instead of terms.embedding
  int64_t max_length = kNoLimit;       // of the model

  /// Whether the tables cover sentences of `length` tokens, or all that the model takes.
  bool reaches(int64_t length) const { return std::min(length, max_length) <= terms.length; }
};

struct StoredPositions {
  std::shared_ptr<const StoredSite> encoder, decoder, cross;
};

/// Throws CheckpointError, which names the file, if its tables do not fit the weights.
StoredPositions read_positions(const std::filesystem::path& path, const EngineWeights& weights);

/// The tables of a site. Their longest sentence is the longest that is stored.
std::unique_ptr<PositionTables> position_tables(std::shared_ptr<const StoredSite> site);

}  // namespace dietmt::nmt
