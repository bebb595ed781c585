#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/json_fields.h"
#include "interchange/foreign_tensors.h"
#include "interchange/huggingface/bart_names.h"
#include "interchange/huggingface/fairseq_tokenizer.h"
#include "interchange/huggingface/generation_config.h"
#include "interchange/huggingface/transformers_config.h"
#include "interchange/huggingface/translation_models.h"
#include "interchange/huggingface/weights.h"
#include "nmt/network/unset_model.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

using at::Tensor;
using nlohmann::json;

struct Kind {
  const char* type;
  const char* norm;
  bool embedding_norm;
  const char* position;
  bool scales;  // embeddings, unless config.json says otherwise
};

// What the classes of the library do, whatever other keys of config.json say.
constexpr Kind kKinds[] = {{"m2m_100", "pre", false, "sinusoidal(layout=halves,start=2)", true},
                           {"bart", "post", true, "learned", false},
                           {"mbart", "pre", true, "learned", false}};
constexpr int64_t kFirstPosition = 2;  // row of tables that the first token reads

const Kind& kind_of(const json& description) {
  std::vector<std::string> types;
  for (const Kind& kind : kKinds) types.emplace_back(kind.type);
  const std::string type = require_model_type(description, types);
  return *std::ranges::find_if(kKinds, [&](const Kind& kind) { return type == kind.type; });
}

nmt::ModelConfig sizes_of(const json& description, const Kind& kind) {
  std::vector<std::string> problems;
  add_differences(description, problems);
  if (!field_or(description, "tie_word_embeddings", true))
    problems.emplace_back("tie_word_embeddings is false");
  throw_if_any(problems);
  nmt::ModelConfig config = read_bart_sizes(description);
  config.norm = kind.norm;
  config.embedding_norm = kind.embedding_norm;
  config.activation =
      transformers_activation(field_or<std::string>(description, "activation_function", "gelu"));
  config.encoder_position = config.decoder_position = kind.position;
  return config;
}

TensorsByName table_of_positions(ForeignTensors& tensors, const char* name, int64_t positions) {
  const Tensor table = tensors.take(name);
  if (table.dim() != 2 || table.size(0) != positions + kFirstPosition)
    tensors.fail(std::string(name) + " has " + std::to_string(table.size(0)) +
                 " rows; max_position_embeddings, " + std::to_string(positions) + ", needs " +
                 std::to_string(positions + kFirstPosition));
  return {{"table", table.slice(0, kFirstPosition)}};
}

std::map<std::string, TensorsByName> read_positions(ForeignTensors& tensors,
                                                    const nmt::ModelConfig& config) {
  if (config.encoder_position == "learned")
    return {{"encoder", table_of_positions(tensors, kBartPositions[0], config.max_positions)},
            {"decoder", table_of_positions(tensors, kBartPositions[1], config.max_positions)}};
  for (const char* name : kBartPositions) tensors.ignore(name);  // sinusoids, in old files
  return {};
}

}  // namespace

nmt::LoadedModel import_bart(const fs::path& directory) {
  const fs::path path = directory / kTransformersConfig;
  const json description = read_json_object(path);
  const Kind& kind = kind_of(description);
  nmt::ModelConfig config = checked_config(
      path, description, [&](const json& sizes) { return sizes_of(sizes, kind); }, bart_settings());
  const auto read_tokenizer =
      kind.type == std::string_view("bart") ? read_bart_tokenizer : read_fairseq_tokenizer;
  const FairseqTokenizer tokenizer =
      read_tokenizer(directory, with_generation(directory, description), config.source_vocabulary);
  config.languages = tokenizer.languages;
  read_generation_config(directory, description, *tokenizer.vocabulary.tokenizer, config,
                         config.max_positions);
  ForeignTensors tensors(directory, load_weights(directory));
  TensorsByName values = tensors.take_layers(config, bart_names());
  for (size_t side = 0; kind.embedding_norm && side < 2; ++side)
    for (const char* word : {"weight", "bias"})
      values[std::string(side == 0 ? "encoder" : "decoder") + ".embedding_norm." + word] =
          tensors.take(std::string(kBartEmbeddingNorms[side]) + word);
  const std::map<std::string, TensorsByName> positions = read_positions(tensors, config);
  ImportedTables tables;
  tables.source = tensors.take_first({kBartShared, kBartSource, kBartTarget, kBartOutput});
  const double usual = std::sqrt(static_cast<double>(config.width));
  tables.source_scale = tables.target_scale =
      field_or(description, "scale_embedding", kind.scales) ? usual : 1.0;
  if (tensors.contains(kBartOutputBias)) tables.output_bias = tensors.take(kBartOutputBias);
  set_tables(tables, tokenizer.vocabulary, tokenizer.vocabulary, tensors, config, values);
  tensors.warn_of_others();
  const auto model = nmt::unset_model(config);
  name_positions(*model, positions, values);
  set_parameters(*model, values, directory);
  model->eval();
  return {model, tokenizer.vocabulary.tokenizer, tokenizer.vocabulary.tokenizer, directory};
}

}  // namespace dietmt::interchange
