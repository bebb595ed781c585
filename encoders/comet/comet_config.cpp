#include "encoders/comet/comet_config.h"

#include "common/checks.h"

namespace dietmt::encoders {

int64_t CometConfig::features() const {
  if (kind == "unified") return encoder.width;
  return (kind == "regression" ? 6 : 4) * encoder.width;
}

bool CometConfig::needs_reference() const {
  return reads_reference && !(kind == "unified" && reads_source);
}

std::vector<std::string> CometConfig::problems(const std::string& file) const {
  std::vector<std::string> found = encoder.problems(file);
  const auto check = [&](const char* key, const OptionRule& rule, auto value) {
    check_range(found, setting_name(key, file), rule, value);
  };
  const OptionRule activations{.choices = {"none", "tanh", "sigmoid", "softplus"}};
  check("kind", {.choices = {"regression", "referenceless", "unified"}}, kind);
  check("layer",
        {.least = static_cast<double>(kAllLayers), .most = static_cast<double>(encoder.layers)},
        layer);
  check("layer_weights", {.choices = {"softmax", "sparsemax"}}, layer_weights);
  check("pooling", {.choices = {"avg", "max", "cls"}}, pooling);
  check("activation", activations, activation);
  check("final_activation", activations, final_activation);
  if (hidden_sizes.empty()) found.push_back(setting_name("hidden_sizes", file) + " is empty");
  if (hidden_sizes.size() > 8)
    found.push_back(setting_name("hidden_sizes", file) + " has more than 8 sizes");
  for (const int64_t size : hidden_sizes) check("hidden_sizes", ranges::kFeedForward, size);
  const bool reads_as_kind = kind == "unified"      ? reads_source || reads_reference
                             : kind == "regression" ? reads_source && reads_reference
                                                    : reads_source && !reads_reference;
  if (!reads_as_kind)
    found.push_back(setting_name("kind", file) +
                    " does not match reads_source and reads_reference");
  return found;
}

}  // namespace dietmt::encoders
