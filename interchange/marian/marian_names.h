// Marian's tensor names.
#pragma once

#include "interchange/foreign_tensors.h"

namespace dietmt::interchange {

inline constexpr const char* kOptions = "special:model.yml";
inline constexpr const char* kOutputBias = "decoder_ff_logit_out_b";

inline LayerNames marian_names() {
  return {.encoder_layer = "encoder_l*_",
          .decoder_layer = "decoder_l*_",
          .first_layer = 1,
          .self_input = {"self_*q", "self_*k", "self_*v"},
          .self_output = "self_*o",
          .self_norm = "self_Wo_*",
          .recurrence_input = {"rnn_*", "rnn_*f"},
          .recurrence_norm = "rnn_ffn_*",
          .cross_query = "context_*q",
          .cross_memory = {"context_*k", "context_*v"},
          .cross_output = "context_*o",
          .cross_norm = "context_Wo_*",
          .feed_forward_inner = {"ffn_*1"},
          .feed_forward_outer = "ffn_*2",
          .feed_forward_norm = "ffn_ffn_*",
          .final_norms = {},
          .weight = "W",
          .bias = "b",
          .scale = "ln_scale",
          .shift = "ln_bias"};
}

}  // namespace dietmt::interchange
