// What CTranslate2 calls the parts and choices of a Transformer, for export and import.
#pragma once

#include <cstdint>
#include <string>

#include "interchange/foreign_tensors.h"

namespace dietmt::interchange {

LayerNames ctranslate2_names(bool gated);

/// The format's number for an activation of dietmt.
int8_t ctranslate2_activation(const std::string& name);

/// The activation of a number, which `gated` makes the gate's. Throws CheckpointError if dietmt has
/// none.
std::string activation_of_ctranslate2(int64_t number, bool gated);

}  // namespace dietmt::interchange
