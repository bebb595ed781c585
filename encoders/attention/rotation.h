// Rotations of pairs of coordinates (rotary positions; encoders/position/encodings/rotary.h).
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "encoders/position/score_terms.h"

namespace dietmt::encoders {

struct Rotation {
  at::Tensor cosines;                  // [H|1, T, Dh/2]
  at::Tensor sines;                    // [H|1, T, Dh/2]
  std::vector<RotaryPairing> pairing;  // [1] or [H]
};

/// (a, b) -> (a c - b s, b c + a s) for each pair of x [N, H, Dh], with the table row of the
/// token's position; positions: [N] int64, or undefined if the tables have one row. The tables
/// have no gradient.
at::Tensor rotate(const at::Tensor& x, const at::Tensor& positions, const Rotation& rotation);

}  // namespace dietmt::encoders
