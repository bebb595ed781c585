// Linformer (Wang et al. 2020, eq. 7): the keys and values of a sentence become k rows each, so
// that attention costs O(T k):
//
//   K' = E K,  V' = F V,   score[h,i,r] = q_i . K'_r / sqrt(Dh)
//
// E and F compress the projected keys and values, their biases included, and see only the words of
// the sentence. DIET-ABSLIN (Chen et al. 2021, eq. 4) adds P_Q[h,i] . P_K[h,r] to the scores. Both
// are for encoders and cross-attention: E mixes later words into every row, so causal attention
// cannot use them. They replace the keys of all heads, so they cannot own only some of them.
#pragma once

#include <optional>

#include "encoders/position/encodings/diet_abs.h"

namespace dietmt::encoders {

struct LinformerOptions {
  int64_t length = 64;                     // k
  bool tied = false;                       // F = E
  Sharing sharing = Sharing::kHeads;       // of E and F
  std::optional<DietAbsOptions> abs = {};  // P_Q and P_K of DIET-ABSLIN; none: Linformer
};

class Linformer : public PositionEncoding {
 public:
  Linformer(const LinformerOptions& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;
  int64_t max_length() const override;

 private:
  at::Tensor key_compression_;    // E: [L|1, H|1, k, max_positions], initially U(+-1/sqrt(k))
  at::Tensor value_compression_;  // F: the same shape, key_compression_ itself if tied
  at::Tensor query_table_;        // P_Q: [L|1, H|1, max_positions, R], or undefined
  at::Tensor key_table_;          // P_K: [L|1, H|1, k, R], or undefined
};

EncodingRow linformer_row();
EncodingRow diet_abs_lin_row();

}  // namespace dietmt::encoders
