#include "interchange/huggingface/metricx.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "common/error.h"
#include "common/json_fields.h"
#include "interchange/huggingface/transformers_config.h"
#include "interchange/huggingface/translation_models.h"
#include "nmt/network/unset_model.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

constexpr const char* kArchitecture = "MT5ForRegression";
constexpr const char* kScorePiece = "<extra_id_10>";

// The last part of the path, which may end in a separator.
std::string folder_name(const fs::path& directory) {
  return fs::weakly_canonical(directory).filename().string();
}

const nmt::MetricxLayout& layout_of(const fs::path& directory, const nlohmann::json& description) {
  const auto original = field_or<std::string>(description, "_name_or_path", "");
  for (const std::string& name : {folder_name(directory), original})
    for (const std::string& layout : nmt::metricx_layouts())
      if (name.find(layout) != name.npos) return nmt::metricx_layout(layout);
  throw CheckpointError(fmt::format(
      "{}: which texts the model reads is told by its name: rename the directory so that it has "
      "one of {} in its name",
      directory.string(), fmt::join(nmt::metricx_layouts(), ", ")));
}

int64_t score_piece(const data::Tokenizer& tokenizer) {
  for (int64_t id = tokenizer.vocabulary_size() - 1; id >= 0; --id)
    if (tokenizer.piece(static_cast<int32_t>(id)).ends_with(kScorePiece)) return id;
  throw CheckpointError(fmt::format("{}: has no piece {}, whose logit is the score; is it mT5's?",
                                    tokenizer.file(), kScorePiece));
}

// The decoder makes no tokens: without a table of targets and an output layer.
std::shared_ptr<nmt::TranslationModel> without_output(const nmt::TranslationModel& model,
                                                      const fs::path& directory) {
  nmt::ModelConfig config = model.config();
  config.tied_embeddings = "all";
  const auto smaller = nmt::unset_model(config);
  TensorsByName values;
  const auto parameters = model.named_parameters();
  for (const auto& item : smaller->named_parameters())
    values[item.key()] = parameters[item.key()].detach();
  encoders::set_parameters(*smaller, std::move(values), directory);
  smaller->eval();
  return smaller;
}

}  // namespace

bool is_metricx_checkpoint(const fs::path& directory) {
  const fs::path path = directory / kTransformersConfig;
  if (!fs::is_regular_file(path)) return false;
  const nlohmann::json description = read_json(path);
  if (!description.is_object()) return false;
  const nlohmann::json architectures = description.value("architectures", nlohmann::json());
  return architectures.is_array() && std::ranges::count(architectures, kArchitecture) > 0;
}

nmt::Metricx import_metricx(const fs::path& directory, const fs::path& mt5) {
  const nlohmann::json description = read_json_object(directory / kTransformersConfig);
  nmt::Metricx metric{.name = folder_name(directory),
                      .layout = layout_of(directory, description),
                      .model = {},
                      .tokenizer = {},
                      .output = {}};
  const nmt::LoadedModel imported = import_t5(directory, mt5);
  metric.tokenizer = imported.source_tokenizer;
  metric.output = imported.model->output_weight().detach()[score_piece(*metric.tokenizer)].clone();
  metric.model = without_output(*imported.model, directory);
  return metric;
}

}  // namespace dietmt::interchange
