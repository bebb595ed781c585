// The names of tensors in transformers' encoder-decoder models that descend from BART: MarianMT,
// M2M-100 and mBART; and, without their beginning, in those of fairseq.
#pragma once

#include <string>

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

/// `root` begins all of them; fairseq's, from which they come, have none.
LayerNames bart_names(const std::string& root = "model.");

}  // namespace dietmt::interchange
