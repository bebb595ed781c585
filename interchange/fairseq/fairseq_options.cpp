#include "interchange/fairseq/fairseq_options.h"

#include <algorithm>
#include <array>

#include "common/error.h"
#include "common/json_fields.h"
#include "interchange/foreign_settings.h"

namespace dietmt::interchange {
namespace {

using nlohmann::json;

// What SinusoidalPositionalEmbedding computes; rows 0 and 1 of its table are for padding.
constexpr const char* kSinusoids = "sinusoidal(layout=halves,start=2)";

/// The options of a model and its task without their groups, such as encoder_embed_dim.
json flattened(const json& options) {
  if (!options.is_object()) throw CheckpointError("has options of an unknown form");
  if (!options.contains("model")) return options;
  json flat = json::object();
  for (const char* group : {"task", "model"})
    if (const json fields = options.value(group, json()); fields.is_object()) flat.update(fields);
  for (const char* stack : {"encoder", "decoder"})
    if (const json fields = flat.value(stack, json()); fields.is_object())
      for (const auto& [name, value] : fields.items())
        flat[std::string(stack) + "_" + name] = value;
  return flat;
}

/// The name of the architecture: `arch`, or `_name` of the group.
void require_transformer(const json& flat) {
  const auto name = field_or<std::string>(
      flat, "arch", field_or<std::string>(flat, "_name", std::string("transformer")));
  constexpr std::array kOthers = {"transformer_lm", "transformer_pointer", "transformer_ulm",
                                  "transformer_modular"};
  const bool is_other =
      std::ranges::any_of(kOthers, [&](const char* other) { return name.starts_with(other); });
  if (!name.starts_with("transformer") || is_other)
    throw CheckpointError("has the architecture '" + name +
                          "'; only 'transformer' and its variants can be imported");
}

/// Options that change what the model computes, in ways that dietmt lacks.
void require_plain(const json& flat) {
  require_unset(flat,
                {"adaptive_input", "adaptive_softmax_cutoff", "char_inputs", "no_cross_attention",
                 "cross_self_attention", "base_layers", "encoder_layers_to_keep",
                 "decoder_layers_to_keep", "no_decoder_final_norm", "quant_noise_scalar",
                 "encoder_xformers_att_config", "decoder_xformers_att_config"});
  if (const json noise = flat.value("quant_noise", json()); noise.is_object())
    require_unset({{"quant_noise_scalar", noise.value("scalar", json())}}, {"quant_noise_scalar"});
}

std::string activation(const std::string& theirs) {
  if (theirs == "gelu_accurate" || theirs == "gelu_fast") return "gelu-tanh";
  if (theirs == "swish" || theirs == "silu") return "silu";
  if (theirs == "relu" || theirs == "gelu") return theirs;
  throw CheckpointError("activation_fn is '" + theirs +
                        "'; known: relu, gelu, gelu_accurate, gelu_fast, swish");
}

std::string position(const json& flat, const char* learned) {
  if (field_or(flat, "no_token_positional_embeddings", false)) return "none";
  return field_or(flat, learned, false) ? "learned" : kSinusoids;
}

}  // namespace

FairseqOptions parse_fairseq_model(const json& options) {
  const json flat = flattened(options);
  require_transformer(flat);
  require_plain(flat);
  for (const std::string option : {"embed_dim", "attention_heads"}) {
    any_field(flat, "decoder_" + option);
    require_same(flat, "encoder_" + option, "decoder_" + option);
  }
  FairseqOptions made;
  read_field(flat, "source_lang", made.source_language);
  read_field(flat, "target_lang", made.target_language);
  nmt::ModelConfig& config = made.model;
  read_field(flat, "encoder_layers", config.encoder_layers);
  read_field(flat, "decoder_layers", config.decoder_layers);
  read_field(flat, "encoder_embed_dim", config.width);
  read_field(flat, "encoder_attention_heads", config.heads);
  read_field(flat, "encoder_ffn_embed_dim", made.encoder_feed_forward);
  read_field(flat, "decoder_ffn_embed_dim", made.decoder_feed_forward);
  config.feed_forward = std::max(made.encoder_feed_forward, made.decoder_feed_forward);
  for (const char* option : {"decoder_input_dim", "decoder_output_dim"})
    if (field_or(flat, option, config.width) != config.width)
      throw CheckpointError(std::string(option) + " differs from decoder_embed_dim");
  const bool normalizes_first = field_or(flat, "encoder_normalize_before", false);
  if (normalizes_first != field_or(flat, "decoder_normalize_before", false))
    throw CheckpointError("encoder_normalize_before differs from decoder_normalize_before");
  config.norm = normalizes_first ? "pre" : "post";
  config.embedding_norm = field_or(flat, "layernorm_embedding", false);
  config.activation = activation(field_or<std::string>(flat, "activation_fn", "relu"));
  config.encoder_position = position(flat, "encoder_learned_pos");
  config.decoder_position = position(flat, "decoder_learned_pos");
  config.dropout = config.embedding_dropout = field_or(flat, "dropout", 0.1);
  config.attention_dropout = field_or(flat, "attention_dropout", 0.0);
  config.activation_dropout =
      field_or(flat, "activation_dropout", field_or(flat, "relu_dropout", 0.0));
  made.scales_embeddings = !field_or(flat, "no_scale_embedding", false);
  return made;
}

const std::map<std::string, std::string>& fairseq_settings() {
  static const std::map<std::string, std::string> names = {
      {"width", "encoder_embed_dim"},
      {"feed_forward", "encoder_ffn_embed_dim"},
      {"heads", "encoder_attention_heads"},
      {"embedding_dropout", "dropout"}};
  return names;
}

}  // namespace dietmt::interchange
