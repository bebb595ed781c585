// The table of position encodings as text: what `--position help` prints.
#pragma once

#include <string>
#include <vector>

#include "encoders/position/position_encoding.h"

namespace dietmt::encoders {

/// One entry for each encoding: name, formula, where it can be used, options, and the parameters it
/// adds with its default options to a stack of each of `contexts` (encoder, decoder or cross).
std::string position_help(const std::vector<EncodingContext>& contexts = {});

}  // namespace dietmt::encoders
