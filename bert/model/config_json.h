// A BERT configuration as JSON: the part "model" of config.json.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "encoders/bert/bert_config.h"

namespace dietmt::bert {

nlohmann::json to_json(const encoders::BertConfig& config);

/// Every field must be there. Throws CheckpointError naming one that is missing.
encoders::BertConfig config_from_json(const nlohmann::json& json);

}  // namespace dietmt::bert
