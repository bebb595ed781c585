// What is added to the embeddings for positions, by itself (Wang et al. 2021, "On Position
// Embeddings in BERT", figures 1, 4, 8 and 9).
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "encoders/analysis/position_scores.h"

namespace dietmt::encoders {

struct InputPositions {
  at::Tensor products;   // P P^T: [n, n] double
  at::Tensor projected;  // P W_Q W_K^T P^T of the first layer by head, without scale: [H, n, n]
};

/// Undefined tensors if nothing is added. Norms between the embeddings and the first layer are left
/// out, as in the paper, so that positions stay apart from words.
InputPositions input_positions(const InspectedStack& stack, int64_t length);

struct Frequencies {
  std::string name;   // of the parameter
  at::Tensor values;  // w_m: [M] double
  at::Tensor start;   // 10000^(-m/M): [M] double
};

/// The learned frequencies of the encodings, at the input and of offsets.
std::vector<Frequencies> learned_frequencies(const PositionScheme& position);

}  // namespace dietmt::encoders
