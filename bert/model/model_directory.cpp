#include "bert/model/model_directory.h"

#include <ATen/ATen.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "common/checks.h"
#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "common/random.h"
#include "encoders/bert/bert_config.h"
#include "encoders/weights/safetensors.h"
#include "storage/checkpoint.h"

namespace dietmt::bert {
namespace fs = std::filesystem;
namespace {

using encoders::BertConfig;

// Calls visit(name, field) for every field, so that names are written once.
template <typename Config, typename Visit>
void visit_fields(Config& config, const Visit& visit) {
  visit("vocabulary", config.vocabulary);
  visit("layers", config.layers);
  visit("width", config.width);
  visit("feed_forward", config.feed_forward);
  visit("heads", config.heads);
  visit("max_positions", config.max_positions);
  visit("segments", config.segments);
  visit("position", config.position);
  visit("segment_encoding", config.segment_encoding);
  visit("activation", config.activation);
  visit("norm_epsilon", config.norm_epsilon);
  visit("dropout", config.dropout);
  visit("attention_dropout", config.attention_dropout);
  visit("activation_dropout", config.activation_dropout);
  visit("embedding_dropout", config.embedding_dropout);
  visit("head_dropout", config.head_dropout);
  visit("pooler", config.task_heads.pooler);
  visit("masked_lm", config.task_heads.masked_lm);
  visit("next_sentence", config.task_heads.next_sentence);
  visit("classes", config.task_heads.classes);
  visit("spans", config.task_heads.spans);
  visit("tags", config.task_heads.tags);
}

/// config.json; an empty object if there is none. Throws CheckpointError naming the file if it is
/// not a JSON object.
nlohmann::json read_config_json(const std::filesystem::path& directory) {
  const std::filesystem::path file = directory / "config.json";
  if (!std::filesystem::exists(file)) return nlohmann::json::object();
  nlohmann::json json = read_json(file);
  if (!json.is_object()) throw CheckpointError(file.string() + ": is not a JSON object");
  return json;
}

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
                          " is unsupported; this version reads format " + std::to_string(kFormat));
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
  try {
    const std::string problem = encoders::memory_problem(config, sizeof(float), path.string());
    if (!problem.empty()) throw CheckpointError(problem);
  } catch (const ConfigError& error) {
    throw CheckpointError(path.string() + ": position: " + with_field_names(error.what()));
  }
  return config;
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

nlohmann::json to_json(const BertConfig& config) {
  nlohmann::json json;
  visit_fields(config, [&](const char* name, const auto& field) { json[name] = field; });
  return json;
}

BertConfig config_from_json(const nlohmann::json& json) {
  BertConfig config;
  visit_fields(config, [&](const char* name, auto& field) {
    const bool is_new = std::string_view(name) == "tags";  // models before it have no such field
    if (!is_new || json.contains(name)) read_field(json, name, field);
  });
  return config;
}

std::filesystem::path pretrained_directory(const std::filesystem::path& path) {
  return std::filesystem::exists(path / "config.json") ? path
                                                       : storage::resolve_model_directory(path);
}

uint64_t content_hash(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const std::filesystem::path name = entry.path().filename();
    const bool is_weights = name.extension() == ".safetensors" || name.extension() == ".bin";
    const bool of_training = name.string().starts_with("training.");
    if (name == "config.json" || (is_weights && !of_training)) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  uint64_t hash = files.size();
  for (const std::filesystem::path& file : files) hash = random_key(hash, file_crc32(file));
  return hash;
}

bool is_bert(const std::filesystem::path& directory) {
  const nlohmann::json config = read_config_json(directory);
  if (config.contains("architecture")) return config.at("architecture") == kArchitecture;
  const nlohmann::json type = config.value("model_type", nlohmann::json());
  return type == "bert" || type == "roberta" || type == "xlm-roberta";
}

std::shared_ptr<encoders::Bert> load_pretrained(const std::filesystem::path& directory,
                                                const interchange::ImportOptions& options) {
  if (read_config_json(directory).contains("model_type"))
    return interchange::import_huggingface(directory, options);
  const std::shared_ptr<encoders::Bert> trained = load_bert(directory);
  encoders::BertConfig config = trained->config();
  if (!options.position.empty()) config.position = options.position;
  if (options.heads) config.task_heads = *options.heads;
  const encoders::RebuiltBert rebuilt = rebuild(*trained, config, options.seed);
  for (const std::string& name : rebuilt.inheritance.drawn)
    spdlog::info("{}: {} is initialised at random", directory.string(), name);
  return rebuilt.model;
}

}  // namespace dietmt::bert
