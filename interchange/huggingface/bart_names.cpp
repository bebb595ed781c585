#include "interchange/huggingface/bart_names.h"

namespace dietmt::interchange {

LayerNames bart_names(const std::string& root) {
  return {.encoder_layer = root + "encoder.layers.*.",
          .decoder_layer = root + "decoder.layers.*.",
          .first_layer = 0,
          .self_input = {"self_attn.q_proj.*", "self_attn.k_proj.*", "self_attn.v_proj.*"},
          .self_output = "self_attn.out_proj.*",
          .self_norm = "self_attn_layer_norm.*",
          .cross_query = "encoder_attn.q_proj.*",
          .cross_memory = {"encoder_attn.k_proj.*", "encoder_attn.v_proj.*"},
          .cross_output = "encoder_attn.out_proj.*",
          .cross_norm = "encoder_attn_layer_norm.*",
          .feed_forward_inner = {"fc1.*"},
          .feed_forward_outer = "fc2.*",
          .feed_forward_norm = "final_layer_norm.*",
          .final_norms = {root + "encoder.layer_norm.*", root + "decoder.layer_norm.*"},
          .weight = "weight",
          .bias = "bias",
          .scale = "weight",
          .shift = "bias"};
}

}  // namespace dietmt::interchange
