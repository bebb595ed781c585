// The types of packed weights, as options and config.json name them.
#pragma once

#include <optional>
#include <string>

#include "kernels/packed_linear.h"
#include "nmt/model/model_files.h"

namespace dietmt::nmt {

/// "fp32", "bf16" or "int8". Throws ConfigError listing them.
kernels::WeightType parse_weight_type(const std::string& name);

/// The same, and "auto" for none: as a model directory has them.
std::optional<kernels::WeightType> parse_weight_choice(const std::string& name);

/// The type of packed weights in `files`. Throws ConfigError if another one is `wanted`.
kernels::WeightType stored_type(const ModelFiles& files, std::optional<kernels::WeightType> wanted);

}  // namespace dietmt::nmt
