#include "bert/model/model_directory.h"

#include <ATen/ATen.h>

#include <nlohmann/json.hpp>

#include "bert/model/config_json.h"
#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "encoders/weights/parameters.h"
#include "encoders/weights/safetensors.h"
#include "storage/checkpoint.h"

namespace dietmt::bert {
namespace fs = std::filesystem;
namespace {

using encoders::BertConfig;

constexpr int kFormat = 1;
constexpr const char* kArchitecture = "bert";
constexpr const char* kConfigFile = "config.json";
constexpr const char* kWeightsFile = "model.safetensors";

BertConfig parse_config(const nlohmann::json& json) {
  if (json.contains("model_type"))
    throw CheckpointError("is a Hugging Face configuration; import the model first");
  if (!json.contains("architecture") || json.at("architecture") != kArchitecture)
    throw CheckpointError("is not a BERT configuration");
  int64_t format = 0;
  read_field(json, "format", format);
  if (format != kFormat) {
    throw CheckpointError("format " + std::to_string(format) +
                          " is not known; this program reads " + std::to_string(kFormat));
  }
  if (!json.contains("model")) throw CheckpointError("model is missing");
  return config_from_json(json.at("model"));
}

BertConfig read_config(const fs::path& path) {
  const nlohmann::json json = read_json(path);
  BertConfig config;
  try {
    config = parse_config(json);
  } catch (const CheckpointError& error) {
    throw CheckpointError(path.string() + ": " + error.what());
  }
  throw_if_any<CheckpointError>(config.problems(path.string()));
  return config;
}

}  // namespace

std::shared_ptr<encoders::Bert> load_bert(const fs::path& directory, at::Device device) {
  const fs::path resolved = storage::resolve_model_directory(directory);
  const BertConfig config = read_config(resolved / kConfigFile);
  const auto model = std::make_shared<encoders::Bert>(config, 0);
  encoders::load_parameters(*model, resolved / kWeightsFile);
  model->to(device);
  model->eval();
  return model;
}

void write_bert(const fs::path& directory, const BertConfig& config,
                const std::vector<std::pair<std::string, at::Tensor>>& weights,
                const data::BertTokenizer* tokenizer) {
  if (tokenizer != nullptr && tokenizer->vocabulary_size() > config.vocabulary) {
    throw ConfigError("the tokenizer has " + std::to_string(tokenizer->vocabulary_size()) +
                      " pieces, the model " + std::to_string(config.vocabulary));
  }
  const nlohmann::json json = {
      {"format", kFormat}, {"architecture", kArchitecture}, {"model", to_json(config)}};
  write_file_atomically(directory / kConfigFile, json.dump(1) + "\n");
  encoders::save_safetensors(directory / kWeightsFile, weights);
  if (tokenizer != nullptr) tokenizer->save(directory);
}

}  // namespace dietmt::bert
