// Position tables of an encoding, lowered by LibTorch when they are wanted.
#pragma once

#include <cstdint>
#include <memory>

#include "nmt/decoding/engine/position_tables.h"

namespace dietmt::encoders {
class PositionScheme;
}

namespace dietmt::nmt {

struct PositionSizes {
  int64_t width = 0;  // D
  int64_t heads = 0;
  /// Relative and contextual vectors stand in rows of this many numbers, zeros at their ends.
  int64_t vector_stride = 0;
};

std::unique_ptr<PositionTables> lower_positions(
    std::shared_ptr<const encoders::PositionScheme> scheme, const PositionSizes& sizes);

}  // namespace dietmt::nmt
