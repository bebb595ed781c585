// Relative vectors that meet queries, or queries and keys, without clipping (the variants
// relative_key and relative_key_query of BERT in HuggingFace transformers; Huang et al. 2020,
// "Improve Transformer Models with Better Relative Position Embeddings", method 4):
//
//   score[h,i,j] = (q_i . k_j + q_i . D[j - i] [+ k_j . D[j - i]]) / sqrt(Dh)
//
// One vector of Dh numbers for each offset up to max_positions; offsets beyond read the end
// entries.
#pragma once

#include <optional>

#include "encoders/position/encoding_row.h"

namespace dietmt::encoders {

enum class RelativeKeySides { kKeys, kKeysAndQueries };

struct RelativeKeyOptions {
  RelativeKeySides sides = RelativeKeySides::kKeys;
  std::optional<int64_t> clip = {};  // none: max_positions - 1
  Sharing sharing = Sharing::kHeads;
};

class RelativeKey : public PositionEncoding {
 public:
  RelativeKey(const RelativeKeyOptions& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;

 private:
  RelativeKeySides sides_;
  at::Tensor table_;  // D: [L|1, H|1, 2C+1, Dh], initially N(0, 0.02^2)
};

EncodingRow relative_key_row();
EncodingRow relative_key_query_row();

}  // namespace dietmt::encoders
