// Sharing of a table over layers and heads: a size of one in its shape, no branch in the code.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "encoders/position/position_encoding.h"

namespace dietmt::encoders {

/// Who reads the same rows of a table.
enum class Sharing { kNone, kLayers, kHeads, kAll };

/// An empty table [L|1, H|1, rows...].
at::Tensor empty_table(Sharing sharing, const EncodingContext& context, at::IntArrayRef rows);

}  // namespace dietmt::encoders
