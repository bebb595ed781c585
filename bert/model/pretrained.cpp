#include "bert/model/pretrained.h"

#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

#include "bert/model/model_directory.h"
#include "common/error.h"
#include "common/files.h"
#include "training/checkpoint.h"

namespace dietmt::bert {
namespace {

bool is_huggingface(const std::filesystem::path& directory) {
  const std::filesystem::path file = directory / "config.json";
  if (!std::filesystem::exists(file)) return false;
  const auto json = nlohmann::json::parse(read_file(file), nullptr, false);
  return json.is_object() && json.contains("model_type");
}

}  // namespace

std::shared_ptr<encoders::Bert> load_pretrained(const std::filesystem::path& directory,
                                                const ImportOptions& options) {
  if (is_huggingface(directory)) return import_huggingface(directory, options);
  const std::shared_ptr<encoders::Bert> trained = load_bert(directory);
  encoders::BertConfig config = trained->config();
  if (!options.position.empty()) config.position = options.position;
  if (options.heads) config.task_heads = *options.heads;
  const encoders::RebuiltBert rebuilt = rebuild(*trained, config, options.seed);
  for (const std::string& name : rebuilt.drawn)
    spdlog::info("{}: {} starts anew", directory.string(), name);
  return rebuilt.model;
}

}  // namespace dietmt::bert
