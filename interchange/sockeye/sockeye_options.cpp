#include "interchange/sockeye/sockeye_options.h"

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/json_fields.h"
#include "interchange/foreign_settings.h"

namespace dietmt::interchange {
namespace {

using nlohmann::json;

void require_no_factors(const json& config) {
  const json& data = object_field(config, "config_data");
  for (const char* name : {"num_source_factors", "num_target_factors"})
    if (const auto factors = field_or<int64_t>(data, name, 1); factors != 1)
      throw CheckpointError(std::string(name) + " is " + std::to_string(factors) +
                            "; dietmt's models have no factors of words");
}

void require_floats(const json& config) {
  const auto type = field_or<std::string>(config, "dtype", "float32");
  if (type != "float32" && type != "float16" && type != "bfloat16")
    throw CheckpointError("dtype is '" + type +
                          "'; only models in float32, float16 and bfloat16 can be imported");
}

/// A sequence of steps without dropout (d): norms (n) and the residual connection (r).
std::string steps(const json& stack, const char* name) {
  std::string sequence;
  read_field(stack, name, sequence);
  std::erase(sequence, 'd');
  return sequence;
}

std::string norm(const json& stack) {
  const std::string before = steps(stack, "preprocess_sequence");
  const std::string after = steps(stack, "postprocess_sequence");
  if (before == "n" && after == "r") return "pre";
  if (before.empty() && after == "rn") return "post";
  throw CheckpointError("preprocess_sequence is " + stack["preprocess_sequence"].dump() +
                        " and postprocess_sequence " + stack["postprocess_sequence"].dump() +
                        "; dietmt's models have norms before each block (\"n\", \"dr\") or after " +
                        "it (\"\", \"drn\")");
}

std::string activation(const json& stack) {
  std::string theirs;
  read_field(stack, "act_type", theirs);
  const bool has_gate = field_or(stack, "use_glu", false);
  if (theirs == "swish1") return has_gate ? "swiglu" : "silu";
  if (has_gate)
    throw CheckpointError("act_type is '" + theirs +
                          "' with use_glu; with gates only swish1 can be imported");
  if (theirs == "relu" || theirs == "gelu") return theirs;
  throw CheckpointError("act_type is '" + theirs + "'; known: relu, swish1, gelu");
}

std::string positions(const json& stack) {
  std::string type;
  read_field(stack, "positional_embedding_type", type);
  if (type == "fixed") return "sinusoidal(layout=halves-2m)";
  if (type == "learned") return type;
  throw CheckpointError("positional_embedding_type is '" + type + "'; known: fixed, learned");
}

std::string decoder_layer(const json& decoder) {
  const auto type = field_or<std::string>(decoder, "decoder_type", "transformer");
  if (type == "transformer") return "self-attention";
  if (type == "ssru_transformer") return "ssru";
  throw CheckpointError("decoder_type is '" + type + "'; known: transformer, ssru_transformer");
}

void require_width(const json& config, const char* embedding, int64_t width) {
  if (field_or(object_field(config, embedding), "num_embed", width) != width)
    throw CheckpointError(std::string(embedding) + ": num_embed differs from model_size, " +
                          std::to_string(width));
}

}  // namespace

nmt::ModelConfig parse_sockeye_options(const json& config) {
  const json& encoder = object_field(config, "config_encoder");
  const json& decoder = object_field(config, "config_decoder");
  require_floats(config);
  require_no_factors(config);
  require_unset(config, {"lhuc", "neural_vocab_selection", "config_length_task"});
  for (const json* stack : {&encoder, &decoder})
    require_unset(*stack, {"use_lhuc", "block_prepended_cross_attention"});
  require_one_for_both(encoder, decoder,
                       {"model_size", "attention_heads", "feed_forward_num_hidden", "act_type",
                        "use_glu", "preprocess_sequence", "postprocess_sequence"});
  nmt::ModelConfig ours;
  read_field(encoder, "num_layers", ours.encoder_layers);
  read_field(decoder, "num_layers", ours.decoder_layers);
  read_field(encoder, "model_size", ours.width);
  read_field(encoder, "attention_heads", ours.heads);
  read_field(encoder, "feed_forward_num_hidden", ours.feed_forward);
  ours.norm = norm(encoder);
  ours.norm_epsilon = 1e-6;
  ours.activation = activation(encoder);
  ours.decoder_layer = decoder_layer(decoder);
  ours.encoder_position = positions(encoder);
  ours.decoder_position = positions(decoder);
  ours.dropout = ours.embedding_dropout = field_or(encoder, "dropout_prepost", 0.1);
  ours.attention_dropout = field_or(encoder, "dropout_attention", 0.1);
  ours.activation_dropout = field_or(encoder, "dropout_act", 0.1);
  for (const char* embedding : {"config_embed_source", "config_embed_target"})
    require_width(config, embedding, ours.width);
  return ours;
}

const std::map<std::string, std::string>& sockeye_settings() {
  static const std::map<std::string, std::string> names = {
      {"width", "model_size"},
      {"feed_forward", "feed_forward_num_hidden"},
      {"heads", "attention_heads"},
      {"dropout", "dropout_prepost"},
      {"embedding_dropout", "dropout_prepost"},
      {"activation_dropout", "dropout_act"},
      {"attention_dropout", "dropout_attention"}};
  return names;
}

}  // namespace dietmt::interchange
