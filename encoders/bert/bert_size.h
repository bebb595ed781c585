// The size of a BERT model, from its configuration before any memory is taken.
#pragma once

#include <string>

#include "encoders/bert/bert_config.h"
#include "encoders/position/parameter_counts.h"

namespace dietmt::encoders {

/// What Bert(config, seed) registers. `config` has no problems(); throws ConfigError for a wrong
/// position encoding.
ParameterCounts parameter_counts(const BertConfig& config);

/// Empty, or that so many bytes for each parameter are more than the machine has. Names the sizes
/// as options of `dietmt bert pretrain`, or if `file` is given as its keys.
std::string memory_problem(const BertConfig& config, double bytes_per_weight,
                           const std::string& file = "");

}  // namespace dietmt::encoders
