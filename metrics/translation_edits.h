// The number of edits of TER (Snover et al. 2006): insertions, deletions, substitutions, and shifts
// of word sequences, each at cost 1. Shifts are searched greedily with tercom's heuristics and
// limits, in the variant of sacreBLEU, so that the counts are equal: matching sequences of up to 10
// words over a distance of up to 50, at most 1000 shifts tried, and an edit distance that is
// computed only within 25 words of the diagonal.
#pragma once

#include <cstdint>

#include "metrics/ngrams.h"

namespace dietmt::metrics {

/// Edits that turn `hypothesis` into `reference`. Time: (shifts tried) x (words) x 50.
int64_t translation_edits(const Symbols& hypothesis, const Symbols& reference);

}  // namespace dietmt::metrics
