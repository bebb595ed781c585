// config.json of Hugging Face's transformers for models of type "marian".
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "nmt/model/config.h"

namespace dietmt::interchange {

/// Sizes and choices, with the vocabularies that the file says. Throws ConfigError with every
/// choice that this program does not have.
nmt::ModelConfig from_marianmt_config(const nlohmann::json& description);

/// The other way, without the ids of special pieces. Throws ConfigError with every choice that
/// MarianMT does not have, and what it has in its place.
nlohmann::json to_marianmt_config(const nmt::ModelConfig& config);

}  // namespace dietmt::interchange
