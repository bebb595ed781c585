#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "data/text/piece_list.h"
#include "interchange/foreign_tensors.h"
#include "interchange/huggingface/generation_config.h"
#include "interchange/huggingface/transformers_config.h"
#include "interchange/huggingface/translation_models.h"
#include "interchange/huggingface/weights.h"
#include "interchange/imported_vocabulary.h"
#include "nmt/network/unset_model.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

using at::Tensor;
using nlohmann::json;

constexpr const char* kPieces[] = {"spiece.model", "sentencepiece.model"};
constexpr const char* kShared = "shared.weight";
constexpr const char* kOutput = "lm_head.weight";
constexpr const char* kBuckets = "layer.0.SelfAttention.relative_attention_bias.weight";

const LayerNames& layer_names(bool is_gated) {
  static const auto names = [](std::vector<std::string> inner) {
    return LayerNames{
        .encoder_layer = "encoder.block.*.",
        .decoder_layer = "decoder.block.*.",
        .first_layer = 0,
        .self_input = {"layer.0.SelfAttention.q.*", "layer.0.SelfAttention.k.*",
                       "layer.0.SelfAttention.v.*"},
        .self_output = "layer.0.SelfAttention.o.*",
        .self_norm = "layer.0.layer_norm.*",
        .cross_query = "layer.1.EncDecAttention.q.*",
        .cross_memory = {"layer.1.EncDecAttention.k.*", "layer.1.EncDecAttention.v.*"},
        .cross_output = "layer.1.EncDecAttention.o.*",
        .cross_norm = "layer.1.layer_norm.*",
        .feed_forward_inner = std::move(inner),
        .feed_forward_outer = "layer.2.DenseReluDense.wo.*",
        .feed_forward_norm = "layer.2.layer_norm.*",
        .final_norms = {"encoder.final_layer_norm.*", "decoder.final_layer_norm.*"},
        .weight = "weight",
        .bias = "bias",
        .scale = "weight",
        .shift = "bias"};
  };
  static const LayerNames plain = names({"layer.2.DenseReluDense.wi.*"});
  static const LayerNames gated =
      names({"layer.2.DenseReluDense.wi_0.*", "layer.2.DenseReluDense.wi_1.*"});
  return is_gated ? gated : plain;
}

/// The feed-forward block is the second part of an encoder's layer and the third of a decoder's;
/// here it is called the third in both.
TensorsByName with_equal_names(TensorsByName tensors) {
  TensorsByName renamed;
  for (auto& [name, tensor] : tensors) {
    std::string equal = name;
    const size_t part = name.find(".layer.1.");
    if (name.starts_with("encoder.block.") && part != name.npos) equal[part + 7] = '2';
    renamed[equal] = tensor;
  }
  return renamed;
}

std::string activation_of(const std::string& projection) {
  if (projection == "relu") return "relu";
  if (projection == "gated-gelu") return "geglu-tanh";
  if (projection == "gated-silu") return "swiglu";
  throw ConfigError("feed_forward_proj is '" + projection +
                    "'; known: relu, gated-gelu, gated-silu");
}

nmt::ModelConfig sizes_of(const json& description) {
  require_model_type(description, {"t5", "mt5"});
  nmt::ModelConfig config;
  read_field(description, "vocab_size", config.source_vocabulary);
  config.target_vocabulary = config.source_vocabulary;
  read_field(description, "num_layers", config.encoder_layers);
  config.decoder_layers = field_or(description, "num_decoder_layers", config.encoder_layers);
  read_field(description, "d_model", config.width);
  read_field(description, "d_ff", config.feed_forward);
  read_field(description, "num_heads", config.heads);
  read_field(description, "d_kv", config.head_width);
  if (config.head_width * config.heads == config.width) config.head_width = 0;
  config.norm = "pre";
  config.norm_type = "rms";
  config.norm_epsilon = field_or(description, "layer_norm_epsilon", 1e-6);
  config.activation =
      activation_of(field_or<std::string>(description, "feed_forward_proj", "relu"));
  const auto buckets = field_or<int64_t>(description, "relative_attention_num_buckets", 32);
  const auto distance = field_or<int64_t>(description, "relative_attention_max_distance", 128);
  config.encoder_position = config.decoder_position = "t5(buckets=" + std::to_string(buckets) +
                                                      ",distance=" + std::to_string(distance) +
                                                      ",share=layers)";
  config.dropout = config.attention_dropout = config.activation_dropout = config.embedding_dropout =
      field_or(description, "dropout_rate", 0.1);
  return config;
}

const std::map<std::string, std::string>& settings() {
  static const std::map<std::string, std::string> names = {{"width", "d_model"},
                                                           {"feed_forward", "d_ff"},
                                                           {"heads", "num_heads"},
                                                           {"head_width", "d_kv"},
                                                           {"encoder_layers", "num_layers"},
                                                           {"decoder_layers", "num_decoder_layers"},
                                                           {"norm_epsilon", "layer_norm_epsilon"},
                                                           {"source_vocabulary", "vocab_size"},
                                                           {"target_vocabulary", "vocab_size"},
                                                           {"dropout", "dropout_rate"}};
  return names;
}

fs::path find_pieces(const fs::path& directory) {
  for (const char* name : kPieces)
    if (fs::exists(directory / name)) return directory / name;
  throw CheckpointError(directory.string() + ": has no " + kPieces[0] +
                        ", which splits text into pieces");
}

ImportedVocabulary read_pieces(const fs::path& directory, const fs::path& pieces,
                               const json& description, nmt::ModelConfig& config) {
  const fs::path file = find_pieces(pieces);
  data::PieceVocabulary numbered = data::sentencepiece_vocabulary(file);
  const int64_t size = config.source_vocabulary;
  if (std::ssize(numbered.pieces) > size)
    throw CheckpointError(file.string() + ": has " + std::to_string(numbered.pieces.size()) +
                          " pieces, but the model has " + std::to_string(size));
  for (int64_t id = std::ssize(numbered.pieces); id < size; ++id)
    numbered.pieces.push_back("<unused" + std::to_string(id) + ">");
  hide_special_pieces(numbered);
  numbered.begin = piece_number(directory, description, "decoder_start_token_id", size);
  numbered.end = piece_number(directory, description, "eos_token_id", size);
  config.languages = languages_of(numbered);
  return imported_vocabulary(std::move(numbered), {read_file(file), file.string()});
}

Tensor by_heads(ForeignTensors& tensors, const std::string& stack) {
  return tensors.take(stack + ".block.0." + kBuckets).t().contiguous().unsqueeze(0);
}

}  // namespace

nmt::LoadedModel import_t5(const fs::path& directory) { return import_t5(directory, directory); }

nmt::LoadedModel import_t5(const fs::path& directory, const fs::path& pieces) {
  const fs::path path = directory / kTransformersConfig;
  const json description = read_json_object(path);
  nmt::ModelConfig config = checked_config(path, description, sizes_of, settings());
  const ImportedVocabulary vocabulary =
      read_pieces(directory, pieces, with_generation(directory, description), config);
  read_generation_config(directory, description, *vocabulary.tokenizer, config);
  ForeignTensors tensors(directory, with_equal_names(load_weights(directory)));
  TensorsByName values = tensors.take_layers(
      config, layer_names(config.activation == "geglu-tanh" || config.activation == "swiglu"));
  scale_queries(std::sqrt(static_cast<double>(config.width_of_heads())), config, values);
  ImportedTables tables;
  tables.source =
      tensors.take_first({kShared, "encoder.embed_tokens.weight", "decoder.embed_tokens.weight"});
  if (!field_or(description, "tie_word_embeddings", true)) {
    tables.output = tensors.take(kOutput);
  } else {
    tensors.ignore(kOutput);
    tables.output_scale = 1.0 / std::sqrt(static_cast<double>(config.width));
  }
  set_tables(tables, vocabulary, vocabulary, tensors, config, values);
  const std::map<std::string, TensorsByName> positions = {
      {"encoder", {{"table", by_heads(tensors, "encoder")}}},
      {"decoder", {{"table", by_heads(tensors, "decoder")}}}};
  tensors.warn_of_others();
  const auto model = nmt::unset_model(config);
  name_positions(*model, positions, values);
  set_parameters(*model, values, directory);
  model->eval();
  return {model, vocabulary.tokenizer, vocabulary.tokenizer, directory};
}

}  // namespace dietmt::interchange
