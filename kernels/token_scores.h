// What a search asks of the logits of one next token, in single passes over a row.
#pragma once

#include <cstdint>

namespace dietmt::kernels {

/// log sum_v exp(row[v]), for count >= 1 finite numbers.
float log_normalizer(const float* row, int64_t count);

/// The first index from `first` on where row is above `limit`; `count` if there is none.
int64_t next_above(const float* row, int64_t first, int64_t count, float limit);

/// sums[v] += exp(row[v] - normalizer).
void add_probabilities(const float* row, int64_t count, float normalizer, float* sums);

}  // namespace dietmt::kernels
