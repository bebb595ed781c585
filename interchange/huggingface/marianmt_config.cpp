#include "interchange/huggingface/marianmt_config.h"

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/json_fields.h"
#include "interchange/export_problems.h"
#include "interchange/huggingface/transformers_config.h"

namespace dietmt::interchange {
namespace {

using nlohmann::json;

constexpr const char* kPosition = "sinusoidal(layout=halves-2m)";
constexpr double kNormEpsilon = 1e-5;  // of torch.nn.LayerNorm

/// Properties that other classes of the library support, but that MarianMT ignores or lacks.
std::vector<std::string> foreign_choices(const json& description) {
  std::vector<std::string> found;
  const auto expect = [&](const char* name, bool usual, bool expected) {
    if (field_or(description, name, usual) != expected)
      found.push_back(std::string(name) + " is " + (expected ? "false" : "true"));
  };
  expect("scale_embedding", false, true);
  expect("normalize_before", false, false);
  expect("normalize_embedding", false, false);
  expect("add_final_layer_norm", false, false);
  expect("static_position_embeddings", true, true);
  add_differences(description, found);
  return found;
}

std::string tied_embeddings(const json& description) {
  const bool output = field_or(description, "tie_word_embeddings", true);
  if (!output) return "none";
  return field_or(description, "share_encoder_decoder_embeddings", true) ? "all" : "decoder";
}

}  // namespace

nmt::ModelConfig from_marianmt_config(const json& description) {
  require_model_type(description, {"marian"});
  throw_if_any(foreign_choices(description));
  nmt::ModelConfig config = read_bart_sizes(description);
  if (!field_or(description, "share_encoder_decoder_embeddings", true))
    config.target_vocabulary =
        field_or(description, "decoder_vocab_size", config.source_vocabulary);
  config.norm = "post";
  std::string activation;
  read_field(description, "activation_function", activation);
  config.activation = transformers_activation(activation);
  config.tied_embeddings = tied_embeddings(description);
  config.output_bias = true;
  config.encoder_position = config.decoder_position = kPosition;
  return config;
}

json to_marianmt_config(const nmt::ModelConfig& config) {
  std::vector<std::string> problems = choices_of_dietmt(config, "MarianMT");
  for (const std::string& position : {config.encoder_position, config.decoder_position}) {
    if (position == kPosition) continue;
    problems.push_back("MarianMT has no position encoding '" + position + "'; it has only " +
                       kPosition);
    break;
  }
  if (config.norm_epsilon != kNormEpsilon)
    problems.emplace_back("MarianMT's layer norm always uses epsilon 1e-5");
  if (config.norm != "post") problems.push_back("MarianMT has no pre-norm (--norm)");
  if (config.activation == "swiglu")
    problems.push_back("MarianMT has no activation swiglu; it has relu, gelu and silu");
  if (config.decoder_layer == "ssru")
    problems.push_back("MarianMT has no recurrent decoder (--decoder-layer ssru)");
  throw_if_any(problems);
  return {{"model_type", "marian"},
          {"architectures", {"MarianMTModel"}},
          {"is_encoder_decoder", true},
          {"vocab_size", config.source_vocabulary},
          {"decoder_vocab_size", config.target_vocabulary},
          {"share_encoder_decoder_embeddings", config.tied_embeddings == "all"},
          {"tie_word_embeddings", config.tied_embeddings != "none"},
          {"encoder_layers", config.encoder_layers},
          {"decoder_layers", config.decoder_layers},
          {"num_hidden_layers", config.encoder_layers},
          {"d_model", config.width},
          {"encoder_ffn_dim", config.feed_forward},
          {"decoder_ffn_dim", config.feed_forward},
          {"encoder_attention_heads", config.heads},
          {"decoder_attention_heads", config.heads},
          {"max_position_embeddings", config.max_positions},
          {"activation_function", config.activation},
          {"scale_embedding", true},
          {"normalize_before", false},
          {"normalize_embedding", false},
          {"add_final_layer_norm", false},
          {"static_position_embeddings", true},
          {"dropout", config.dropout},
          {"attention_dropout", config.attention_dropout},
          {"activation_dropout", config.activation_dropout},
          {"torch_dtype", "float32"}};
}

}  // namespace dietmt::interchange
