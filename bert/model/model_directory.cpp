#include "bert/model/model_directory.h"

#include <ATen/ATen.h>

#include <nlohmann/json.hpp>

#include "bert/model/config_json.h"
#include "common/error.h"
#include "common/files.h"
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
  if (json.at("format") != kFormat) {
    throw CheckpointError("format " + json.at("format").dump() +
                          " is not known; this program reads " + std::to_string(kFormat));
  }
  return config_from_json(json.at("model"));
}

BertConfig read_config(const fs::path& path) {
  try {
    return parse_config(nlohmann::json::parse(read_file(path)));
  } catch (const std::exception& error) {
    throw CheckpointError(path.string() + ": " + error.what());
  }
}

}  // namespace

std::shared_ptr<encoders::Bert> load_bert(const fs::path& directory, at::Device device) {
  const fs::path resolved = storage::resolve_model_directory(directory);
  const BertConfig config = read_config(resolved / kConfigFile);
  require_intact(resolved / kConfigFile);
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
