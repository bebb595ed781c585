#include "interchange/opennmt/opennmt_names.h"

#include <string_view>

namespace dietmt::interchange {
namespace {

struct Renaming {
  std::string_view part;
  std::string_view in_eole;
};
constexpr Renaming kRenamings[] = {
    {"encoder.transformer.", "encoder.transformer_layers."},
    {".feed_forward.layer_norm.", ".post_attention_layernorm."},
    {".feed_forward.w_1.", ".mlp.gate_up_proj."},
    {".feed_forward.w_2.", ".mlp.down_proj."},
    {".feed_forward.w_3.", ".mlp.up_proj."},
    {".layer_norm_1.", ".input_layernorm."},
    {".layer_norm_2.", ".precontext_layernorm."},
    {"encoder.embeddings.make_embedding.emb_luts.0.", "src_emb.embeddings."},
    {"decoder.embeddings.make_embedding.emb_luts.0.", "tgt_emb.embeddings."},
    {"encoder.embeddings.make_embedding.pe.", "src_emb.pe."},
    {"decoder.embeddings.make_embedding.pe.", "tgt_emb.pe."},
    {"generator.0.", "generator."}};

std::string eole_name(std::string name) {
  for (const auto& [part, in_eole] : kRenamings)
    if (const size_t at = name.find(part); at != name.npos) name.replace(at, part.size(), in_eole);
  // The first norm of an encoder layer is called as the one after the last layer.
  constexpr std::string_view kLayers = "encoder.transformer_layers.", kNorm = ".layer_norm.";
  if (const size_t at = name.find(kNorm, kLayers.size());
      name.starts_with(kLayers) && at != name.npos)
    name.replace(at, kNorm.size(), ".input_layernorm.");
  return name;
}

}  // namespace

const LayerNames& opennmt_names() {
  static const LayerNames names = {
      .encoder_layer = "encoder.transformer_layers.*.",
      .decoder_layer = "decoder.transformer_layers.*.",
      .first_layer = 0,
      .self_input = {"self_attn.linear_query.*", "self_attn.linear_keys.*",
                     "self_attn.linear_values.*"},
      .self_output = "self_attn.final_linear.*",
      .self_norm = "input_layernorm.*",
      .cross_query = "context_attn.linear_query.*",
      .cross_memory = {"context_attn.linear_keys.*", "context_attn.linear_values.*"},
      .cross_output = "context_attn.final_linear.*",
      .cross_norm = "precontext_layernorm.*",
      .feed_forward_inner = {"mlp.gate_up_proj.*"},
      .feed_forward_outer = "mlp.down_proj.*",
      .feed_forward_norm = "post_attention_layernorm.*",
      .final_norms = {"encoder.layer_norm.*", "decoder.layer_norm.*"},
      .weight = "weight",
      .bias = "bias",
      .scale = "weight",
      .shift = "bias"};
  return names;
}

TensorsByName with_eole_names(const TensorsByName& tensors) {
  TensorsByName renamed;
  for (const auto& [name, tensor] : tensors) renamed[eole_name(name)] = tensor;
  return renamed;
}

}  // namespace dietmt::interchange
