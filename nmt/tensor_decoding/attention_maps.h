// A translation model's attention on one sentence pair, for all layers and heads, and the part of
// the scores that comes from positions.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "nmt/network/translation_model.h"

namespace dietmt::nmt {

/// One tensor per layer, with queries in rows and keys in columns; none if keys are compressed
/// (Linformer), since columns are then not tokens. Target position i predicts target token i and
/// has read begin of sentence and the tokens before i.
struct AttentionMaps {
  std::vector<at::Tensor> encoder;            // [H, S, S]
  std::vector<at::Tensor> decoder;            // [H, T, T]
  std::vector<at::Tensor> cross;              // [H, T, S]
  std::vector<at::Tensor> encoder_positions;  // [H, S, S]: encoders/analysis/position_scores.h
  std::vector<at::Tensor> decoder_positions;  // [H, T, T]; 0 if a query does not see the key
};

/// `source` and `target` end with end of sentence and are within the model's limits. Position
/// scores that are 0 in all layers are left out.
AttentionMaps attention_maps(const TranslationModel& model, std::span<const int32_t> source,
                             std::span<const int32_t> target, int32_t begin_id);

}  // namespace dietmt::nmt
