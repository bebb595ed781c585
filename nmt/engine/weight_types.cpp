#include "nmt/engine/weight_types.h"

#include "common/error.h"

namespace dietmt::nmt {

kernels::WeightType parse_weight_type(const std::string& name) {
  if (name == "fp32") return kernels::WeightType::kFloat;
  if (name == "bf16") return kernels::WeightType::kBFloat16;
  if (name == "int8") return kernels::WeightType::kInt8;
  throw ConfigError("no weights '" + name + "'; possible: fp32, bf16, int8");
}

std::optional<kernels::WeightType> parse_weight_choice(const std::string& name) {
  if (name == "auto") return std::nullopt;
  return parse_weight_type(name);
}

kernels::WeightType stored_type(const ModelFiles& files,
                                std::optional<kernels::WeightType> wanted) {
  const kernels::WeightType type = parse_weight_type(files.quantization);
  if (wanted && *wanted != type) {
    throw ConfigError("--weights: " + files.directory.string() + " has " + files.quantization +
                      " weights and no others");
  }
  return type;
}

}  // namespace dietmt::nmt
