#include "interchange/huggingface/marianmt.h"

#include <ATen/ATen.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "encoders/weights/safetensors.h"
#include "interchange/foreign_tensors.h"
#include "interchange/huggingface/bart_names.h"
#include "interchange/huggingface/generation_config.h"
#include "interchange/huggingface/marianmt_config.h"
#include "interchange/huggingface/transformers_config.h"
#include "interchange/huggingface/translation_models.h"
#include "interchange/huggingface/weights.h"
#include "nmt/network/unset_model.h"
#include "nmt/search/suppressed_tokens.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

using at::Tensor;
using nlohmann::json;

void check_size(const fs::path& directory, const data::Tokenizer& tokenizer, int64_t expected) {
  if (tokenizer.vocabulary_size() == expected) return;
  throw CheckpointError(directory.string() + ": the vocabulary has " +
                        std::to_string(tokenizer.vocabulary_size()) +
                        " pieces, but the model has " + std::to_string(expected));
}

TensorsByName read_parameters(const fs::path& directory, const nmt::ModelConfig& config) {
  ForeignTensors tensors(directory, load_weights(directory));
  TensorsByName values = tensors.take_all(correspondences(config, bart_names()));
  for (const char* table : kBartPositions)
    if (tensors.contains(table)) tensors.take(table);
  values["source_embedding"] = tensors.take_first({kBartShared, kBartSource});
  // Old files hold copies of tied parameters.
  const Tensor target = tensors.take_first({kBartTarget, kBartShared});
  if (config.tied_embeddings != "all") values["target_embedding"] = target;
  if (config.tied_embeddings == "none") values["output_weight"] = tensors.take(kBartOutput);
  if (tensors.contains(kBartOutput)) tensors.take(kBartOutput);
  values["output_bias"] = tensors.contains(kBartOutputBias)
                              ? tensors.take(kBartOutputBias).flatten()
                              : at::zeros({config.target_vocabulary});
  tensors.warn_of_others();
  return values;
}

/// Fields of both config.json and generation_config.json.
json generation(const data::Tokenizer& target, const nmt::ModelConfig& config, int64_t longest) {
  json settings = generation_settings(config.search, longest);
  settings.update({{"pad_token_id", target.begin_id()},
                   {"decoder_start_token_id", target.begin_id()},
                   {"eos_token_id", target.end_id()},
                   {"forced_eos_token_id", target.end_id()},
                   {"bad_words_ids", {{target.begin_id()}, {target.unknown_id()}}}});
  const nmt::PieceIds ids(target);
  for (const std::vector<std::string>& sequence : config.suppressed.sequences)
    settings["bad_words_ids"].push_back(ids.of(sequence));
  if (!config.suppressed.first.empty())
    settings["begin_suppress_tokens"] = ids.of(config.suppressed.first);
  return settings;
}

std::vector<std::pair<std::string, Tensor>> exported_tensors(const nmt::TranslationModel& model) {
  const nmt::ModelConfig& config = model.config();
  const auto parameters = model.named_parameters();
  std::vector<std::pair<std::string, Tensor>> tensors;
  for (const Correspondence& row : correspondences(config, bart_names())) {
    const auto parts = parameters[row.ours].chunk(static_cast<int64_t>(row.theirs.size()));
    for (size_t i = 0; i < parts.size(); ++i) tensors.emplace_back(row.theirs[i], parts[i]);
  }
  const bool shared = config.tied_embeddings == "all";
  tensors.emplace_back(shared ? kBartShared : kBartSource, parameters["source_embedding"]);
  if (!shared) tensors.emplace_back(kBartTarget, parameters["target_embedding"]);
  if (config.tied_embeddings == "none")
    tensors.emplace_back(kBartOutput, parameters["output_weight"]);
  const Tensor bias =
      config.output_bias ? model.output_bias() : at::zeros({config.target_vocabulary});
  tensors.emplace_back(kBartOutputBias, bias.unsqueeze(0));
  return tensors;
}

}  // namespace

nmt::LoadedModel import_marianmt(const fs::path& directory) {
  const fs::path path = directory / kTransformersConfig;
  const json description = read_json_object(path);
  nmt::ModelConfig config =
      checked_config(path, description, from_marianmt_config, bart_settings());
  const auto [tokenizers, languages] =
      read_marian_tokenizers(directory, with_generation(directory, description));
  check_size(directory, *tokenizers.source, config.source_vocabulary);
  check_size(directory, *tokenizers.target, config.target_vocabulary);
  config.languages = languages;
  read_generation_config(directory, description, *tokenizers.target, config, config.max_positions);
  const auto model = nmt::unset_model(config);
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
  const json generated = generation(*model.target_tokenizer, model.model->config(), longest);
  description.update(generated);
  write_marian_tokenizers(directory, {model.source_tokenizer, model.target_tokenizer}, longest);
  write_file_atomically(directory / kTransformersConfig, description.dump(2) + "\n");
  write_file_atomically(directory / kGenerationConfig, generated.dump(2) + "\n");
  encoders::save_safetensors(directory / storage::kSafetensorsFile, exported_tensors(*model.model),
                             {{"format", "pt"}});
}

}  // namespace dietmt::interchange
