// Passes over the scores of one next token beside kernels/vocabulary.h: for ensembles, whose
// probabilities are added.
#pragma once

#include <cstdint>

namespace dietmt::kernels {

/// The first index from `first` on where row is above `limit`; `count` if there is none.
int64_t next_above(const float* row, int64_t first, int64_t count, float limit);

/// sums[v] += exp(row[v] - normalizer).
void add_probabilities(const float* row, int64_t count, float normalizer, float* sums);

}  // namespace dietmt::kernels
