// The number of parameters of a stack, counted from its configuration before any memory is taken.
#pragma once

#include "encoders/position/parameter_counts.h"
#include "encoders/transformer/layers.h"

namespace dietmt::encoders {

/// What EncoderStack(config) registers: each layer, each position encoding and the norms. Throws
/// ConfigError for a wrong position encoding.
ParameterCounts encoder_parameters(const StackConfig& config);

/// Parameters of DecoderStack(config).
ParameterCounts decoder_parameters(const StackConfig& config);

/// Parameters of a linear layer with its bias.
double linear_parameters(int64_t inputs, int64_t outputs);

double norm_parameters(int64_t width, NormType type = NormType::kLayer);

}  // namespace dietmt::encoders
