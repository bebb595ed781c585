#include "bert/comet/comet_directory.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bert/model/model_directory.h"
#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "encoders/comet/comet_config.h"
#include "encoders/weights/safetensors.h"

namespace dietmt::bert {
namespace fs = std::filesystem;
namespace {

using encoders::CometConfig;

constexpr int kFormat = 1;
constexpr const char* kArchitecture = "comet";
constexpr const char* kConfigFile = "config.json";
constexpr const char* kWeightsFile = "model.safetensors";
constexpr const char* kHiddenSizes = "hidden_sizes";

// Calls visit(name, field) for every field but the list of sizes, so that names are written once.
template <typename Config, typename Visit>
void visit_fields(Config& config, const Visit& visit) {
  visit("name", config.name);
  visit("kind", config.kind);
  visit("reads_source", config.reads_source);
  visit("reads_reference", config.reads_reference);
  visit("layer", config.layer);
  visit("layer_weights", config.layer_weights);
  visit("layer_norm", config.layer_norm);
  visit("pooling", config.pooling);
  visit("activation", config.activation);
  visit("final_activation", config.final_activation);
}

std::vector<int64_t> read_sizes(const nlohmann::json& metric, const char* name) {
  const nlohmann::json& sizes = any_field(metric, name);
  if (!sizes.is_array() || !std::ranges::all_of(sizes, is_whole_number))
    throw CheckpointError(name + (" is " + sizes.dump()) + "; it must be a list of whole numbers");
  return sizes.get<std::vector<int64_t>>();
}

CometConfig parse_config(const nlohmann::json& json) {
  if (!json.is_object() || json.value("architecture", nlohmann::json()) != kArchitecture)
    throw CheckpointError("is not a COMET model of dietmt; see dietmt import --help");
  int64_t format = 0;
  read_field(json, "format", format);
  if (format != kFormat)
    throw CheckpointError("format " + std::to_string(format) +
                          " is unsupported; this version reads format " + std::to_string(kFormat));
  CometConfig config;
  config.encoder = config_from_json(object_field(json, "encoder"));
  const nlohmann::json& metric = object_field(json, "metric");
  visit_fields(config, [&](const char* name, auto& field) { read_field(metric, name, field); });
  config.hidden_sizes = read_sizes(metric, kHiddenSizes);
  return config;
}

CometConfig read_config(const fs::path& path) {
  const nlohmann::json json = read_json(path);
  CometConfig config;
  try {
    config = parse_config(json);
  } catch (const CheckpointError& error) {
    throw CheckpointError(path.string() + ": " + error.what());
  }
  throw_if_any<CheckpointError>(config.problems(path.string()));
  if (const std::string problem =
          encoders::memory_problem(config.encoder, sizeof(float), path.string());
      !problem.empty())
    throw CheckpointError(problem);
  return config;
}

}  // namespace

void write_comet(const fs::path& directory, const encoders::CometModel& model,
                 const data::BertTokenizer& tokenizer) {
  const CometConfig& config = model.config();
  if (tokenizer.vocabulary_size() > config.encoder.vocabulary)
    throw ConfigError("the tokenizer has " + std::to_string(tokenizer.vocabulary_size()) +
                      " pieces, the model " + std::to_string(config.encoder.vocabulary));
  nlohmann::json metric = {{kHiddenSizes, config.hidden_sizes}};
  visit_fields(config, [&](const char* name, const auto& field) { metric[name] = field; });
  const nlohmann::json json = {{"format", kFormat},
                               {"architecture", kArchitecture},
                               {"encoder", to_json(config.encoder)},
                               {"metric", metric}};
  std::vector<std::pair<std::string, at::Tensor>> weights;
  for (const auto& parameter : model.named_parameters())
    weights.emplace_back(parameter.key(), parameter.value().detach());
  write_file_atomically(directory / kConfigFile, json.dump(1) + "\n");
  encoders::save_safetensors(directory / kWeightsFile, weights);
  tokenizer.save(directory);
}

LoadedComet load_comet(const fs::path& directory, at::Device device) {
  const CometConfig config = read_config(directory / kConfigFile);
  require_intact(directory / kConfigFile);
  auto model = std::make_shared<encoders::CometModel>(config, 0);
  encoders::load_parameters(*model, directory / kWeightsFile);
  model->to(device);
  model->eval();
  auto tokenizer = data::load_bert_tokenizer(directory);
  if (tokenizer->vocabulary_size() > config.encoder.vocabulary)
    throw CheckpointError(directory.string() + ": the tokenizer has more pieces than the model");
  return {std::move(model), std::move(tokenizer)};
}

}  // namespace dietmt::bert
