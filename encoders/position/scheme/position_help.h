// The text that `--position help` prints.
#pragma once

#include <string>
#include <vector>

#include "encoders/position/position_encoding.h"

namespace dietmt::encoders {

/// One entry for each encoding: name, formula, sites, options, and the number of parameters that it
/// adds with default options to a stack of each of `contexts` (encoder, decoder or cross).
std::string position_help(const std::vector<EncodingContext>& contexts = {});

}  // namespace dietmt::encoders
