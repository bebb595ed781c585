// The terms of encoders/position/score_terms.h that move the vectors of the heads: shifts,
// rotations and compression. They apply once, before a backend or the decoding cache sees the
// vectors.
#pragma once

#include "encoders/attention/packing.h"
#include "encoders/position/score_terms.h"

namespace dietmt::encoders {

/// queries, keys: [N, H, Dh]; positions: [N] rows of the tables, or undefined if they have one
/// row. Returns [N, H, Dh].
at::Tensor move_queries(const at::Tensor& queries, const at::Tensor& positions,
                        const ScoreTerms& terms);
at::Tensor move_keys(const at::Tensor& keys, const at::Tensor& positions, const ScoreTerms& terms);

bool compresses(const ScoreTerms& terms);

/// The packing of compressed keys: k rows per sentence. The same packing if nothing is compressed.
Packing compressed_packing(const Packing& packing, const ScoreTerms& terms);

/// compression [H|1, k, longest] times the rows of each sentence: [M, H, Dh] -> [B k, H, Dh]. The
/// same rows if `compression` is undefined.
at::Tensor compress(const at::Tensor& rows, const Packing& packing, const at::Tensor& compression);

}  // namespace dietmt::encoders
