// Frequencies of rotary positions for sentences longer than those of the training. Every method
// maps distances that training never showed to ones that it did, by slower rotations; they differ
// in which pairs of coordinates they slow down. The frequencies do not depend on the length of a
// sentence, so cached keys stay valid.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dietmt::encoders {

enum class RotaryScalingMethod { kYarn, kLlama3, kNtk, kLinear };

/// With s = factor and w_m = base^(-2m/Dh), which turns r_m = length w_m / 2 pi times in a sentence
/// of the old length:
///
///   linear   w_m / s                               Chen et al. 2023, "Extending Context Window"
///   ntk      (base s^(Dh/(Dh-2)))^(-2m/Dh)         the fastest stays, the slowest is w_m / s
///   yarn     g_m w_m + (1-g_m) w_m / s             Peng et al. 2023, "YaRN", section 3.2;
///            g_m = clip((r_m - 1) / (32 - 1), 0, 1)
///   llama3   as yarn, g_m = clip((r_m - 1) / (4 - 1), 0, 1)
///
/// A factor of 1 changes nothing, whatever the method.
struct RotaryScaling {
  RotaryScalingMethod method = RotaryScalingMethod::kYarn;
  int64_t factor = 1;    // how many times as long the longest sentences are
  int64_t length = 512;  // of the longest sentences before, in tokens
};

/// w_m of all pairs, [pairs] in double on the CPU.
at::Tensor rotary_frequencies(int64_t pairs, int64_t base, const RotaryScaling& scaling);

/// Factor of the products of queries and keys: (0.1 ln s + 1)^2 with yarn (section
/// 3.4), otherwise 1.
double rotary_temperature(const RotaryScaling& scaling);

}  // namespace dietmt::encoders
