// What attention knows about a position encoding. Every encoding lowers itself to these terms, so
// no backend knows an encoding's name. First the vectors of the heads move, once, before any
// backend sees them (encoders/attention/vector_terms.h):
//
//   q_i <- rotate(q_i + query_shift[h,i])     k_j <- rotate(k_j + key_shift[h,j])
//   K   <- key_compression . K                V   <- value_compression . V      per sentence
//
// Then, with i a query position, j a key position, both counted from the start of the sentence, and
// o = clip(j - i, -C, C) + C:
//
//   score[h,i,j] = scale[h] * q_i . k_j                      content
//                + position_bias[h,i,j]                      depends only on positions
//                + query_features[h,i] . key_features[h,j]   the same, factored
//                + offset_bias[h,o]
//                + scale[h] * q_i . relative_keys[h,o]
//                + scale[h] * k_j . relative_queries[h,o]
//                + segment_bias[h,segment_i,segment_j]
//                + q_i . contextual[h, c_ij]                 CoPE: encodings/cope.cpp
//   output[h,i]  = sum_j p[h,i,j] (v_j + relative_values[h,o])
//
// A new term: term_table.h. A leading size of 1 means shared by the heads. Each table over offsets
// has its own C.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace dietmt::encoders {

/// The positions that tables cover: queries 0 .. queries - 1 and keys 0 .. keys - 1.
struct Extent {
  int64_t queries = 0;
  int64_t keys = 0;
};

/// Which coordinates of a vector turn together: 2m and 2m+1, or m and m + Dh/2.
enum class RotaryPairing { kInterleaved, kHalves };

/// Undefined tensors are absent terms. term_table.h lists all of them.
struct ScoreTerms {
  std::vector<double> content_scale;  // [1] or [H]
  at::Tensor position_bias;           // [H|1, T, S]
  at::Tensor query_features;          // [H|1, T, R]
  at::Tensor key_features;            // [H|1, S, R]
  at::Tensor offset_bias;             // [H|1, 2C+1]
  at::Tensor relative_keys;           // [H|1, 2C+1, Dh]
  at::Tensor relative_queries;        // [H|1, 2C+1, Dh]
  at::Tensor relative_values;         // [H|1, 2C+1, Dh]
  at::Tensor segment_bias;            // [H|1, G, G]
  at::Tensor contextual;              // [H|1, P, Dh]

  // Terms that move vectors. Only self-attention has shifts and rotations, so queries and keys have
  // the same positions: row r of a table, or its only row, is position r.
  at::Tensor query_shift;        // [H|1, T|1, Dh]
  at::Tensor key_shift;          // [H|1, T|1, Dh]
  at::Tensor query_cosines;      // [H|1, T, Dh/2], all four or none; no gradient
  at::Tensor query_sines;        // [H|1, T, Dh/2]
  at::Tensor key_cosines;        // [H|1, T, Dh/2]
  at::Tensor key_sines;          // [H|1, T, Dh/2]
  at::Tensor key_compression;    // [H|1, k, longest sentence], both or none
  at::Tensor value_compression;  // [H|1, k, longest sentence]

  std::vector<RotaryPairing> pairing = {RotaryPairing::kInterleaved};  // [1] or [H]

  /// [1] or [H]: relative_keys and relative_queries add nothing to the scores of pairs with
  /// position 0 (encoders/attention/untied_vectors.h). Only self-attention of encoders has it.
  std::vector<bool> untied_vectors = {false};
};

}  // namespace dietmt::encoders
