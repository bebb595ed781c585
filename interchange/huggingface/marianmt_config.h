// config.json of Hugging Face's transformers for models of type "marian".
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "nmt/model/config.h"

namespace dietmt::interchange {

/// Sizes and options, with the vocabulary sizes of the file. Throws ConfigError listing every
/// option that dietmt does not support.
nmt::ModelConfig from_marianmt_config(const nlohmann::json& description);

/// Converts the other way, without the ids of special pieces. Throws ConfigError listing every
/// option that MarianMT does not support, and what it has instead.
nlohmann::json to_marianmt_config(const nmt::ModelConfig& config);

}  // namespace dietmt::interchange
