// Score terms of encodings that each own some of the heads, as one set of terms for all heads.
#pragma once

#include <cstdint>
#include <vector>

#include "encoders/position/score_terms.h"

namespace dietmt::encoders {

/// The terms of some heads in every layer; tables are [heads.size()|1, ...].
struct HeadTerms {
  std::vector<ScoreTerms> layers;
  std::vector<int64_t> heads;
};

/// Tables of [H, ...] whose rows come from the encoding that owns the head: zeros (cosines: ones)
/// where it has no such term, and tables over offsets as wide as the widest, the end entries
/// repeated. Layers whose parts share a table share the mixed one.
std::vector<ScoreTerms> mix_heads(const std::vector<HeadTerms>& parts, int64_t heads);

}  // namespace dietmt::encoders
