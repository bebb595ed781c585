#include "interchange/huggingface/marianmt.h"

#include <ATen/ATen.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "encoders/weights/safetensors.h"
#include "interchange/foreign_tensors.h"
#include "interchange/huggingface/marianmt_config.h"
#include "interchange/huggingface/transformers_config.h"
#include "interchange/huggingface/weights.h"
#include "nmt/network/model_size.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

using at::Tensor;
using nlohmann::json;

constexpr const char* kConfigFile = "config.json";
constexpr const char* kGenerationFile = "generation_config.json";
constexpr const char* kShared = "model.shared.weight";
constexpr const char* kSource = "model.encoder.embed_tokens.weight";
constexpr const char* kTarget = "model.decoder.embed_tokens.weight";
constexpr const char* kOutput = "lm_head.weight";
constexpr const char* kOutputBias = "final_logits_bias";
// Sinusoids, which old files store.
constexpr const char* kTables[] = {"model.encoder.embed_positions.weight",
                                   "model.decoder.embed_positions.weight"};

const LayerNames& layer_names() {
  static const LayerNames names = {
      .encoder_layer = "model.encoder.layers.*.",
      .decoder_layer = "model.decoder.layers.*.",
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
      .final_norms = {},
      .weight = "weight",
      .bias = "bias",
      .scale = "weight",
      .shift = "bias"};
  return names;
}

/// config.json, overridden by generation_config.json.
json generation_of(const fs::path& directory, json description) {
  const fs::path path = directory / kGenerationFile;
  if (!fs::exists(path)) return description;
  const json generation = read_json_object(path);
  for (const auto& [name, value] : generation.items())
    if (!value.is_null()) description[name] = value;
  return description;
}

nmt::ModelConfig read_config(const fs::path& path, const json& description) {
  nmt::ModelConfig config;
  try {
    config = from_marianmt_config(description);
  } catch (const std::exception& error) {
    throw CheckpointError(path.string() + ": " + json_problem(error));
  }
  std::vector<std::string> problems = config.problems(path.string());
  if (problems.empty()) problems = {nmt::memory_problem(config, sizeof(float), path.string())};
  throw_with_their_names(problems, path,
                         {{"width", "d_model"},
                          {"feed_forward", "encoder_ffn_dim"},
                          {"heads", "encoder_attention_heads"},
                          {"max_positions", "max_position_embeddings"},
                          {"source_vocabulary", "vocab_size"},
                          {"target_vocabulary", "decoder_vocab_size"},
                          {"embedding_dropout", "dropout"}});
  return config;
}

void check_size(const fs::path& directory, const data::Tokenizer& tokenizer, int64_t expected) {
  if (tokenizer.vocabulary_size() == expected) return;
  throw CheckpointError(directory.string() + ": the vocabulary has " +
                        std::to_string(tokenizer.vocabulary_size()) +
                        " pieces, but the model has " + std::to_string(expected));
}

TensorsByName read_parameters(const fs::path& directory, const nmt::ModelConfig& config) {
  ForeignTensors tensors(directory, load_weights(directory));
  TensorsByName values = tensors.take_all(correspondences(config, layer_names()));
  for (const char* table : kTables)
    if (tensors.contains(table)) tensors.take(table);
  values["source_embedding"] = tensors.take_first({kShared, kSource});
  // Old files hold copies of tied parameters.
  const Tensor target = tensors.take_first({kTarget, kShared});
  if (config.tied_embeddings != "all") values["target_embedding"] = target;
  if (config.tied_embeddings == "none") values["output_weight"] = tensors.take(kOutput);
  if (tensors.contains(kOutput)) tensors.take(kOutput);
  values["output_bias"] = tensors.contains(kOutputBias) ? tensors.take(kOutputBias).flatten()
                                                        : at::zeros({config.target_vocabulary});
  tensors.warn_of_others();
  return values;
}

/// Fields of both config.json and generation_config.json.
json generation(const data::Tokenizer& target, int64_t longest) {
  return {{"pad_token_id", target.begin_id()},
          {"decoder_start_token_id", target.begin_id()},
          {"eos_token_id", target.end_id()},
          {"forced_eos_token_id", target.end_id()},
          {"bad_words_ids", {{target.begin_id()}, {target.unknown_id()}}},
          {"num_beams", 5},
          {"max_length", longest}};
}

std::vector<std::pair<std::string, Tensor>> exported_tensors(const nmt::TranslationModel& model) {
  const nmt::ModelConfig& config = model.config();
  const auto parameters = model.named_parameters();
  std::vector<std::pair<std::string, Tensor>> tensors;
  for (const Correspondence& row : correspondences(config, layer_names())) {
    const auto parts = parameters[row.ours].chunk(static_cast<int64_t>(row.theirs.size()));
    for (size_t i = 0; i < parts.size(); ++i) tensors.emplace_back(row.theirs[i], parts[i]);
  }
  const bool shared = config.tied_embeddings == "all";
  tensors.emplace_back(shared ? kShared : kSource, parameters["source_embedding"]);
  if (!shared) tensors.emplace_back(kTarget, parameters["target_embedding"]);
  if (config.tied_embeddings == "none") tensors.emplace_back(kOutput, parameters["output_weight"]);
  const Tensor bias =
      config.output_bias ? model.output_bias() : at::zeros({config.target_vocabulary});
  tensors.emplace_back(kOutputBias, bias.unsqueeze(0));
  return tensors;
}

}  // namespace

nmt::LoadedModel import_marianmt(const fs::path& directory) {
  const json description = read_json_object(directory / kConfigFile);
  const nmt::ModelConfig config = read_config(directory / kConfigFile, description);
  const nmt::Tokenizers tokenizers =
      read_marian_tokenizers(directory, generation_of(directory, description));
  check_size(directory, *tokenizers.source, config.source_vocabulary);
  check_size(directory, *tokenizers.target, config.target_vocabulary);
  const auto model = std::make_shared<nmt::TranslationModel>(config, 0);
  set_parameters(*model, read_parameters(directory, config), directory);
  model->eval();
  return {model, tokenizers.source, tokenizers.target, directory};
}

void export_marianmt(const fs::path& directory, const nmt::LoadedModel& model) {
  json description = to_marianmt_config(model.model->config());
  // Our sinusoids have no limit.
  spdlog::info(
      "transformers will read at most {} tokens per sentence, the size of its position table",
      model.model->config().max_positions);
  constexpr int64_t kUsualLength = 512;
  const int64_t longest = std::min(kUsualLength, model.model->config().max_positions);
  const json generated = generation(*model.target_tokenizer, longest);
  description.update(generated);
  write_marian_tokenizers(directory, {model.source_tokenizer, model.target_tokenizer}, longest);
  write_file_atomically(directory / kConfigFile, description.dump(2) + "\n");
  write_file_atomically(directory / kGenerationFile, generated.dump(2) + "\n");
  encoders::save_safetensors(directory / storage::kSafetensorsFile, exported_tensors(*model.model),
                             {{"format", "pt"}});
}

}  // namespace dietmt::interchange
