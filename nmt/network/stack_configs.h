// The configurations of the two stacks of an encoder-decoder.
#pragma once

#include "encoders/transformer/stack_config.h"
#include "nmt/model/config.h"

namespace dietmt::nmt {

encoders::StackConfig encoder_config(const ModelConfig& config);
encoders::StackConfig decoder_config(const ModelConfig& config);

}  // namespace dietmt::nmt
