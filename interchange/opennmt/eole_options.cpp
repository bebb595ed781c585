#include <array>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/json_fields.h"
#include "interchange/foreign_settings.h"
#include "interchange/opennmt/opennmt_options.h"

namespace dietmt::interchange {
namespace {

using nlohmann::json;

constexpr std::array kEoleStacks = {"encoder", "decoder"};

json object_or_none(const json& options, const char* name) {
  const json value = options.value(name, json());
  return value.is_object() ? value : json::object();
}

/// Options of a stack. Those of the model hold for both.
json options_of_stack(const json& model, const char* stack) {
  json options = model;
  options.update(object_field(model, stack));
  return options;
}

std::string eole_activation(const std::string& theirs) {
  if (theirs == "relu" || theirs == "gelu" || theirs == "gelu-tanh" || theirs == "silu")
    return theirs;
  if (theirs == "gated-silu") return "swiglu";
  if (theirs == "gated-gelu-tanh") return "geglu-tanh";
  throw CheckpointError("mlp_activation_fn is '" + theirs +
                        "'; known: relu, gelu, gelu-tanh, silu, gated-silu, gated-gelu-tanh");
}

void require_plain(const json& stack) {
  require_unset(stack, {"sliding_window", "parallel_residual", "ffn_layernorm", "num_experts",
                        "relative_positions_buckets", "query_norm", "key_norm", "value_norm",
                        "q_gating", "attn_scaling", "layer_types", "num_mtp_heads",
                        "position_shift", "embedding_layer_norm"});
  if (const auto kv = first_number(stack, "heads_kv", 0);
      kv != 0 && kv != first_number(stack, "heads", 0))
    throw CheckpointError("heads_kv differs from heads, which dietmt's imports do not have");
  if (const auto style = field_or<std::string>(stack, "encoder_layer_style", "standard");
      style != "standard")
    throw CheckpointError("encoder_layer_style is '" + style +
                          "'; only 'standard' can be imported");
  if (!field_or(stack, "final_encoder_layer_norm", true))
    throw CheckpointError("has no norm after the last encoder layer, which dietmt's models have");
}

std::string eole_positions(const json& stack, const nmt::ModelConfig& config) {
  const json type = stack.value("position_encoding_type", json("SinusoidalInterleaved"));
  if (type.is_null()) return "none";
  if (type == "Learned") return "learned";
  if (type != "Rotary") return opennmt_sinusoids(type.is_string() ? type : json(type.dump()));
  const json rotation = object_or_none(stack, "rope_config");
  require_unset(rotation, {"scaling_type", "interleave_local", "partial_rotary_factor",
                           "xdrope_section", "tmax_index", "multidimensional_rope"});
  return opennmt_rotation(rotation, config.heads > 0 ? config.width_of_heads() : 0);
}

std::string norm_type(const std::string& theirs) {
  if (theirs == "standard" || theirs == "standardFP32") return "layer";
  if (theirs == "rms") return theirs;
  throw CheckpointError("layer_norm is '" + theirs + "'; known: standard, standardFP32, rms");
}

void read_eole_subwords(const json& config, OpennmtOptions& made) {
  const json transforms = object_or_none(config, "transforms_configs");
  for (const char* name : {"sentencepiece", "bpe"}) {
    const json transform = object_or_none(transforms, name);
    if (transform.empty() || !made.subword_files[0].empty()) continue;
    made.subword_files[0] = last_part(field_or<std::string>(transform, "src_subword_model", ""));
    made.subword_files[1] = last_part(field_or<std::string>(transform, "tgt_subword_model", ""));
  }
  const json used = config.value("transforms", json());
  for (const json& name : used) made.is_tokenized |= name == "onmt_tokenize";
}

}  // namespace

OpennmtOptions parse_eole_options(const json& config) {
  const json& model = object_field(config, "model");
  if (const auto kind = field_or<std::string>(model, "architecture", "transformer");
      kind != "transformer")
    throw CheckpointError("architecture is '" + kind + "'; only 'transformer' can be imported");
  const json embeddings = object_or_none(model, "embeddings");
  const json training = object_or_none(config, "training");
  require_unset(training, {"lora_layers", "lora_embedding", "quant_layers"});
  require_unset(model, {"copy_attn"});
  OpennmtOptions made;
  nmt::ModelConfig& ours = made.model;
  ours.norm = "pre";
  json sizes[2];
  for (size_t side = 0; side < kEoleStacks.size(); ++side) {
    json stack = embeddings;
    stack.update(options_of_stack(model, kEoleStacks[side]));
    require_plain(stack);
    read_field(stack, "layers", side == 0 ? ours.encoder_layers : ours.decoder_layers);
    read_field(stack, "hidden_size", ours.width);
    read_field(stack, "heads", ours.heads);
    read_field(stack, "transformer_ff", ours.feed_forward);
    ours.head_width = static_cast<int64_t>(first_number(stack, "head_dim", 0));
    ours.norm_type = norm_type(field_or<std::string>(stack, "layer_norm", "standard"));
    ours.norm_epsilon = first_number(stack, "norm_eps", 1e-5);
    ours.activation = eole_activation(field_or<std::string>(stack, "mlp_activation_fn", "relu"));
    (side == 0 ? ours.encoder_position : ours.decoder_position) = eole_positions(stack, ours);
    for (const char* name : {"hidden_size", "heads", "transformer_ff", "head_dim", "layer_norm",
                             "norm_eps", "mlp_activation_fn"})
      sizes[side][name] = stack.value(name, json());
    made.scales_embeddings =
        ours.encoder_position.starts_with("sinusoidal") || field_or(stack, "normalize", false);
  }
  for (const auto& [name, value] : sizes[0].items())
    if (value != sizes[1][name])
      throw CheckpointError("the encoder's " + name + " differs from the decoder's; dietmt's " +
                            "models have one for both");
  ours.dropout = ours.embedding_dropout = ours.activation_dropout =
      first_number(training, "dropout", 0.1);
  ours.attention_dropout = first_number(training, "attention_dropout", ours.dropout);
  read_eole_subwords(config, made);
  return made;
}

}  // namespace dietmt::interchange
