// A module that starts from a trained one: with other heads, with other positions, with longer
// tables of positions.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <string>
#include <vector>

namespace dietmt::encoders {

/// What became of the parameters, by name.
struct Inheritance {
  std::vector<std::string> drawn;     // not in the trained module in this shape: as they were drawn
  std::vector<std::string> extended;  // longer than the trained table, whose rows are among theirs
  std::vector<std::string> dropped;   // of the trained module, without a use
};

/// Sets each parameter of `heir` that `trained` has under its name. Shapes are the same, except
/// tables over positions (max_positions rows) and over the offsets between them
/// (2 max_positions - 1): where these are longer in `heir`, the first, or the middle, rows are
/// taken, and the others stay as they were drawn.
Inheritance inherit(torch::nn::Module& heir, int64_t heir_positions,
                    const torch::nn::Module& trained, int64_t trained_positions);

}  // namespace dietmt::encoders
