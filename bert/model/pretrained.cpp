#include "bert/model/pretrained.h"

#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

#include "bert/model/model_directory.h"
#include "common/error.h"
#include "common/json_fields.h"
#include "storage/checkpoint.h"

namespace dietmt::bert {
namespace {

/// config.json; an empty object if there is none. Throws CheckpointError naming the file if it is
/// not a JSON object.
nlohmann::json read_config_json(const std::filesystem::path& directory) {
  const std::filesystem::path file = directory / "config.json";
  if (!std::filesystem::exists(file)) return nlohmann::json::object();
  nlohmann::json json = read_json(file);
  if (!json.is_object()) throw CheckpointError(file.string() + ": is not a JSON object");
  return json;
}

}  // namespace

std::filesystem::path pretrained_directory(const std::filesystem::path& path) {
  return std::filesystem::exists(path / "config.json") ? path
                                                       : storage::resolve_model_directory(path);
}

bool is_bert(const std::filesystem::path& directory) {
  const nlohmann::json config = read_config_json(directory);
  const char* key = config.contains("architecture") ? "architecture" : "model_type";
  return config.contains(key) && config.at(key) == "bert";
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
