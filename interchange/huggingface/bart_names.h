// The names of tensors in transformers' encoder-decoder models that descend from BART: MarianMT,
// M2M-100 and mBART.
#pragma once

#include "interchange/foreign_tensors.h"

namespace dietmt::interchange {

inline constexpr const char* kBartShared = "model.shared.weight";
inline constexpr const char* kBartSource = "model.encoder.embed_tokens.weight";
inline constexpr const char* kBartTarget = "model.decoder.embed_tokens.weight";
inline constexpr const char* kBartOutput = "lm_head.weight";
inline constexpr const char* kBartOutputBias = "final_logits_bias";
// Two each: the encoder's and the decoder's.
inline constexpr const char* kBartPositions[] = {"model.encoder.embed_positions.weight",
                                                 "model.decoder.embed_positions.weight"};
inline constexpr const char* kBartEmbeddingNorms[] = {"model.encoder.layernorm_embedding.",
                                                      "model.decoder.layernorm_embedding."};

const LayerNames& bart_names();

}  // namespace dietmt::interchange
