// Rotary positions (Su et al. 2021, "RoFormer"): queries and keys turn with their positions, so
// that their product depends only on the offset. With w_m = base^(-2m/Dh), pair m of q_i and of k_i
// turns by the angle i w_m; a pair is coordinates (2m, 2m+1) or (m, m + Dh/2).
//
// xPos (Sun et al. 2023, "A Length-Extrapolatable Transformer") for causal attention also
// multiplies pair m of q_i by z_m^(i/scale) and divides that of k_i by it, z_m = (2m + 0.4 Dh) /
// (1.4 Dh): the products of distant words shrink. (The paper counts i from the middle of the
// sequence, which cancels.) No parameters.
#pragma once

#include <optional>

#include "encoders/position/encoding_row.h"

namespace dietmt::encoders {

struct RotaryOptions {
  RotaryPairing pairing = RotaryPairing::kInterleaved;
  int64_t base = 10000;
  std::optional<int64_t> scale = {};  // of xPos; none: no decay
};

class Rotary : public PositionEncoding {
 public:
  Rotary(const RotaryOptions& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;

 private:
  RotaryOptions options_;
  int64_t head_width_;
};

EncodingRow rope_row();
EncodingRow xpos_row();

}  // namespace dietmt::encoders
