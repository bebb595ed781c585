// config.json of Hugging Face's transformers for models of type "bert".
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "encoders/bert/bert_config.h"

namespace dietmt::interchange {

/// Sizes and choices; the pooler and the heads are told by the tensors, not here. Throws
/// ConfigError where the file describes what this program does not have.
encoders::BertConfig from_bert_config(const nlohmann::json& description);

/// The other way. Throws ConfigError with every choice that transformers does not have.
nlohmann::json to_bert_config(const encoders::BertConfig& config);

}  // namespace dietmt::interchange
