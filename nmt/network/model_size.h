// The size of a translation model, from its configuration before any memory is taken.
#pragma once

#include <string>

#include "encoders/position/parameter_counts.h"
#include "nmt/model/config.h"

namespace dietmt::nmt {

/// What TranslationModel(config, seed) registers. `config` has no problems(); throws ConfigError
/// for a wrong position encoding.
encoders::ParameterCounts parameter_counts(const ModelConfig& config);

/// Empty, or that so many bytes for each parameter are more than the machine has. Names the sizes
/// as options of `dietmt train`, or if `file` is given as its keys.
std::string memory_problem(const ModelConfig& config, double bytes_per_weight,
                           const std::string& file = "");

}  // namespace dietmt::nmt
