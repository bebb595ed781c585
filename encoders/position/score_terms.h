// What attention knows of a position encoding. Every encoding lowers itself to these terms; no
// backend knows an encoding's name. With i a query position, j a key position, both counted from
// the start of the sentence, and o = clip(j - i, -C, C) + C:
//
//   score[h,i,j] = scale[h] * q_i . k_j                      content
//                + position_bias[h,i,j]                      depends on positions alone
//                + query_features[h,i] . key_features[h,j]   the same, factored
//                + offset_bias[h,o]
//                + scale[h] * q_i . relative_keys[h,o]
//                + scale[h] * k_j . relative_queries[h,o]
//                + segment_bias[h,segment_i,segment_j]
//   output[h,i]  = sum_j p[h,i,j] (v_j + relative_values[h,o])
//
// A leading size of 1 means shared by the heads. Each table over offsets has its own C.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace dietmt::encoders {

/// The positions one attention call covers: query rows query_start .. query_start + queries - 1 and
/// keys 0 .. keys - 1. A full pass has query_start 0; step p of cached decoding has query_start p,
/// one query and p + 1 keys.
struct Extent {
  int64_t query_start = 0;
  int64_t queries = 0;
  int64_t keys = 0;
};

/// Undefined tensors are absent terms.
struct ScoreTerms {
  std::vector<double> content_scale;  // [1] or [H]
  at::Tensor position_bias;           // [H|1, T, S], row r is query query_start + r
  at::Tensor query_features;          // [H|1, T, R]
  at::Tensor key_features;            // [H|1, S, R]
  at::Tensor offset_bias;             // [H|1, 2C+1]
  at::Tensor relative_keys;           // [H|1, 2C+1, Dh]
  at::Tensor relative_queries;        // [H|1, 2C+1, Dh]
  at::Tensor relative_values;         // [H|1, 2C+1, Dh]
  at::Tensor segment_bias;            // [H|1, G, G]
};

}  // namespace dietmt::encoders
