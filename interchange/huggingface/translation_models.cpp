#include "interchange/huggingface/translation_models.h"

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/json_fields.h"
#include "interchange/huggingface/bart.h"
#include "interchange/huggingface/marianmt.h"
#include "interchange/huggingface/t5.h"
#include "interchange/huggingface/transformers_config.h"

namespace dietmt::interchange {
namespace {

std::string type_in(const std::filesystem::path& path) {
  const nlohmann::json description = read_json_object(path);
  try {
    return require_model_type(description, {"marian", "m2m_100", "mbart", "t5", "mt5"});
  } catch (const std::exception& error) {
    throw CheckpointError(path.string() + ": " + json_problem(error));
  }
}

}  // namespace

nmt::LoadedModel import_translation_model(const std::filesystem::path& directory) {
  const std::string type = type_in(directory / kTransformersConfig);
  if (type == "marian") return import_marianmt(directory);
  return type == "t5" || type == "mt5" ? import_t5(directory) : import_bart(directory);
}

}  // namespace dietmt::interchange
