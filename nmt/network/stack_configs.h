// The configurations of the two stacks of an encoder-decoder.
#pragma once

#include <string>
#include <vector>

#include "encoders/transformer/stack_config.h"
#include "nmt/model/config.h"

namespace dietmt::nmt {

encoders::StackConfig encoder_config(const ModelConfig& config);
encoders::StackConfig decoder_config(const ModelConfig& config);

/// What is wrong with the position encodings, each problem once. With a `file` they name it and
/// its keys.
std::vector<std::string> position_problems(const ModelConfig& config, const std::string& file = "");

}  // namespace dietmt::nmt
