// The position terms of a packed model on disk, beside its weights, so that decoding needs no
// position encodings: a safetensors file of tables, which are used where they are mapped, and in
// its `__metadata__` a JSON text that says which table is which term of which layer.
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

/// A table of sinusoids, which is computed: sin(t w) and cos(t w) of position t.
struct Sinusoids {
  bool halves = false;              // all sines before all cosines, not in pairs
  std::vector<double> frequencies;  // [D/2]

  /// [length, D]
  std::vector<float> rows(int64_t length) const;
};

struct StoredSite {
  static constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

  SiteTerms terms;                     // of sentences of up to terms.length tokens
  std::optional<Sinusoids> sinusoids;  // instead of terms.embedding
  int64_t max_length = kNoLimit;       // of the model

  /// Whether sentences of `length` tokens, or as many as the model takes, can do with the tables.
  bool reaches(int64_t length) const { return std::min(length, max_length) <= terms.length; }
};

struct StoredPositions {
  std::shared_ptr<const StoredSite> encoder, decoder, cross;
};

/// Throws CheckpointError naming the file if something in it does not fit the weights.
StoredPositions read_positions(const std::filesystem::path& path, const EngineWeights& weights);

/// The tables of a site. Throws Error for a sentence that it does not reach.
std::unique_ptr<PositionTables> position_tables(std::shared_ptr<const StoredSite> site);

}  // namespace dietmt::nmt
