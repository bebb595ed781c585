#include "interchange/huggingface/translation_models.h"

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/json_fields.h"
#include "interchange/huggingface/marianmt.h"
#include "interchange/huggingface/transformers_config.h"
#include "nmt/network/model_size.h"

namespace dietmt::interchange {
namespace {

std::string type_in(const std::filesystem::path& path) {
  const nlohmann::json description = read_json_object(path);
  try {
    return require_model_type(description,
                              {"marian", "m2m_100", "bart", "fsmt", "mbart", "t5", "mt5"});
  } catch (const std::exception& error) {
    throw CheckpointError(path.string() + ": " + json_problem(error));
  }
}

}  // namespace

nmt::LoadedModel import_translation_model(const std::filesystem::path& directory) {
  const std::string type = type_in(directory / kTransformersConfig);
  if (type == "marian") return import_marianmt(directory);
  if (type == "fsmt") return import_fsmt(directory);
  return type == "t5" || type == "mt5" ? import_t5(directory) : import_bart(directory);
}

nmt::ModelConfig checked_config(const std::filesystem::path& path,
                                const nlohmann::json& description,
                                const std::function<nmt::ModelConfig(const nlohmann::json&)>& read,
                                const std::map<std::string, std::string>& names) {
  nmt::ModelConfig config;
  try {
    config = read(description);
  } catch (const std::exception& error) {
    throw CheckpointError(path.string() + ": " + json_problem(error));
  }
  std::vector<std::string> problems = config.problems(path.string());
  if (problems.empty()) problems = nmt::position_problems(config, path.string());
  if (problems.empty()) problems = {nmt::memory_problem(config, sizeof(float), path.string())};
  throw_with_their_names(problems, path, names);
  return config;
}

}  // namespace dietmt::interchange
