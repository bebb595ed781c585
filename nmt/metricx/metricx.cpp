#include "nmt/metricx/metricx.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "encoders/weights/safetensors.h"
#include "nmt/model/model_files.h"
#include "nmt/network/model_directory.h"
#include "nmt/network/unset_model.h"
#include "storage/checkpoint.h"

namespace dietmt::nmt {
namespace fs = std::filesystem;
namespace {

constexpr int kFormat = 1;
constexpr const char* kArchitecture = "metricx";
constexpr const char* kOutput = "metricx_output";

const std::vector<MetricxLayout>& layouts() {
  static const std::vector<MetricxLayout> all = {
      {"metricx-23-qe", true, false, false, 1023},
      {"metricx-24", true, true, false, 1535},
      {"metricx-23", false, true, true, 1023},
  };
  return all;
}

struct Description {
  std::string name;
  MetricxLayout layout;
  ModelConfig config;
};

Description read_description(const fs::path& path) {
  Description found = read_json_as(path, [](const nlohmann::json& json) {
    if (!json.is_object() || json.value("architecture", nlohmann::json()) != kArchitecture)
      throw CheckpointError("is not a MetricX model of dietmt; see dietmt import --help");
    int64_t format = 0;
    read_field(json, "format", format);
    if (format != kFormat)
      throw CheckpointError(
          fmt::format("format {} is unsupported; this version reads format {}", format, kFormat));
    Description description;
    read_field(json, "name", description.name);
    std::string layout;
    read_field(json, "layout", layout);
    description.layout = metricx_layout(layout);
    description.config = ModelConfig::from_json(object_field(json, "model"));
    return description;
  });
  require_intact(path);
  throw_if_any<CheckpointError>(found.config.problems(path.string()));
  require_buildable(found.config, sizeof(float), path.string());
  return found;
}

}  // namespace

const MetricxLayout& metricx_layout(const std::string& name) {
  const auto found = std::ranges::find(layouts(), name, &MetricxLayout::name);
  if (found != layouts().end()) return *found;
  throw CheckpointError(
      fmt::format("layout is '{}'; known: {}", name, fmt::join(metricx_layouts(), ", ")));
}

std::vector<std::string> metricx_layouts() {
  std::vector<std::string> names;
  for (const MetricxLayout& layout : layouts()) names.push_back(layout.name);
  return names;
}

void write_metricx(const fs::path& directory, const Metricx& metric) {
  std::vector<std::pair<std::string, at::Tensor>> weights = {{kOutput, metric.output}};
  for (const auto& parameter : metric.model->named_parameters())
    weights.emplace_back(parameter.key(), parameter.value().detach());
  write_model(directory, metric.model->config(), weights, *metric.tokenizer, *metric.tokenizer);
  const nlohmann::json json = {{"format", kFormat},
                               {"architecture", kArchitecture},
                               {"name", metric.name},
                               {"layout", metric.layout.name},
                               {"model", metric.model->config().to_json()}};
  write_file_atomically(directory / kConfigFile, json.dump(1) + "\n");
}

bool is_metricx(const fs::path& directory) {
  const fs::path path = directory / kConfigFile;
  if (!fs::is_regular_file(path)) return false;
  const nlohmann::json json = read_json(path);
  return json.is_object() && json.value("architecture", nlohmann::json()) == kArchitecture;
}

Metricx load_metricx(const fs::path& directory, at::Device device) {
  Description description = read_description(directory / kConfigFile);
  const fs::path weights_file = directory / storage::kSafetensorsFile;
  std::map<std::string, at::Tensor> weights = encoders::map_safetensors(weights_file);
  const auto output = weights.extract(kOutput);
  if (!output || !output.mapped().sizes().equals({description.config.width}))
    throw CheckpointError(fmt::format("{}: {} must have {} numbers", weights_file.string(), kOutput,
                                      description.config.width));
  Metricx metric{.name = std::move(description.name),
                 .layout = std::move(description.layout),
                 .model = unset_model(description.config),
                 .tokenizer = load_tokenizers(directory).source,
                 .output = output.mapped().to(device, at::kFloat)};
  if (metric.tokenizer->vocabulary_size() != description.config.source_vocabulary)
    throw CheckpointError(directory.string() + ": the tokenizer and the model differ in pieces");
  encoders::set_parameters(*metric.model, std::move(weights), weights_file);
  metric.model->to(device);
  metric.model->eval();
  return metric;
}

}  // namespace dietmt::nmt
