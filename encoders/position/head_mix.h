// Merges the score terms of encodings that each own some of the heads into terms of all heads.
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

/// Tables of [H, ...] whose rows come from the encoding that owns the head, by the rules of
/// term_table.h. Layers whose parts share a table share the mixed one. Throws Error for a term that
/// cannot belong to only some of the heads.
std::vector<ScoreTerms> mix_heads(const std::vector<HeadTerms>& parts, int64_t heads);

}  // namespace dietmt::encoders
