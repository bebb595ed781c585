// The settings of Sockeye's models: the file `config`.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "nmt/model/config.h"

namespace dietmt::interchange {

/// `config`: as read_yaml_values() has it. The result lacks vocabularies, ties and the number of
/// learned positions. Throws CheckpointError naming the setting that is missing or that dietmt's
/// models do not have.
nmt::ModelConfig parse_sockeye_options(const nlohmann::json& config);

/// Sockeye's names of our settings, for throw_with_their_names().
const std::map<std::string, std::string>& sockeye_settings();

}  // namespace dietmt::interchange
