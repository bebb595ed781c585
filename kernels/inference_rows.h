// Passes over rows of fp32 numbers in inference, one thread each, chosen at run time for AVX-512,
// AVX2 or any x86-64. A row does not depend on the others.
#pragma once

#include <cstdint>

namespace dietmt::kernels {

constexpr double kLayerNormEpsilon = 1e-5;

/// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta, row by row (Ba et al. 2016); x may be
/// y. x, y: [rows, width].
void layer_norm_rows(int64_t rows, int64_t width, const float* x, const float* gamma,
                     const float* beta, double epsilon, float* y);

/// x *= y, element by element.
void multiply_into(int64_t size, const float* y, float* x);

/// The first index from `first` on where row is above `limit`; `count` if there is none.
int64_t next_above(const float* row, int64_t first, int64_t count, float limit);

/// sums[v] += exp(row[v] - normalizer): the probabilities of one model of an ensemble.
void add_probabilities(const float* row, int64_t count, float normalizer, float* sums);

}  // namespace dietmt::kernels
