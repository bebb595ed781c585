#include "interchange/comet/comet_hparams.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>

#include "common/error.h"
#include "common/files.h"

namespace dietmt::interchange {
namespace {

using encoders::CometConfig;

template <typename Value>
Value value_or(const YAML::Node& hparams, const char* key, const Value& standard) {
  const YAML::Node node = hparams[key];
  if (!node || node.IsNull()) return standard;
  try {
    return node.as<Value>();
  } catch (const YAML::Exception&) {
    throw CheckpointError(std::string(key) + " has an unexpected value");
  }
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char letter) { return std::tolower(letter); });
  return text;
}

/// The package treats any word except "sparsemax" as softmax. Models trained with softmax although
/// their settings said sparsemax are marked "sparsemax_patch".
std::string layer_weights(const std::string& theirs) {
  if (theirs == "sparsemax" || theirs == "softmax") return theirs;
  if (theirs == "sparsemax_patch") return "softmax";
  throw CheckpointError("layer_transformation is '" + theirs +
                        "'; known: softmax, sparsemax, sparsemax_patch");
}

std::string activation(const YAML::Node& hparams, const char* key, const char* standard) {
  const std::string name = lower_case(value_or<std::string>(hparams, key, standard));
  for (const char* known : {"none", "tanh", "sigmoid", "softplus"})
    if (name == known) return name;
  throw CheckpointError(std::string(key) + " is '" + name + "'; known: Tanh, Sigmoid, Softplus");
}

int64_t layer(const YAML::Node& hparams, const char* key) {
  if (value_or<std::string>(hparams, key, "mix") == "mix") return CometConfig::kAllLayers;
  return value_or<int64_t>(hparams, key, 0);
}

void read_kind(const YAML::Node& hparams, CometConfig& config) {
  const auto identifier = value_or<std::string>(hparams, "class_identifier", "");
  if (identifier == "regression_metric") return;
  if (identifier == "referenceless_regression_metric") {
    config.kind = "referenceless";
    config.reads_reference = false;
    config.hidden_sizes = {2048, 1024};
    return;
  }
  if (identifier != "unified_metric")
    throw CheckpointError("class_identifier is '" + identifier +
                          "'; known: regression_metric, referenceless_regression_metric, "
                          "unified_metric");
  config.kind = "unified";
  config.layer_weights = "sparsemax";
  const auto segments =
      value_or<std::vector<std::string>>(hparams, "input_segments", {"mt", "src", "ref"});
  config.reads_source = std::ranges::count(segments, "src") > 0;
  config.reads_reference = std::ranges::count(segments, "ref") > 0;
}

CometConfig config_of(const YAML::Node& hparams) {
  if (!hparams.IsMap()) throw CheckpointError("must hold keys and values");
  const auto encoder = value_or<std::string>(hparams, "encoder_model", "XLM-RoBERTa");
  if (encoder != "XLM-RoBERTa")
    throw CheckpointError("encoder_model is '" + encoder + "'; known: XLM-RoBERTa");
  CometConfig config;
  read_kind(hparams, config);
  const bool is_unified = config.kind == "unified";
  config.layer = layer(hparams, is_unified ? "sent_layer" : "layer");
  config.layer_weights =
      layer_weights(value_or(hparams, "layer_transformation", config.layer_weights));
  config.layer_norm = value_or(hparams, "layer_norm", true);
  config.pooling = is_unified ? "cls" : value_or<std::string>(hparams, "pool", "avg");
  if (config.pooling != "avg" && config.pooling != "max" && config.pooling != "cls")
    throw CheckpointError("pool is '" + config.pooling + "'; known: avg, max, cls");
  config.hidden_sizes = value_or(hparams, "hidden_sizes", config.hidden_sizes);
  config.activation = activation(hparams, "activations", "Tanh");
  config.final_activation = activation(hparams, "final_activation", "none");
  return config;
}

}  // namespace

CometConfig read_comet_hparams(const std::filesystem::path& file,
                               const encoders::BertConfig& encoder) {
  try {
    CometConfig config = config_of(YAML::Load(read_file(file)));
    config.encoder = encoder;
    throw_if_any<CheckpointError>(config.problems("hparams.yaml"));
    return config;
  } catch (const YAML::Exception& error) {
    throw CheckpointError(file.string() + ": " + error.what());
  } catch (const CheckpointError& error) {
    throw CheckpointError(file.string() + ": " + error.what());
  }
}

}  // namespace dietmt::interchange
