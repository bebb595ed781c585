// One model as the engine decodes with it: packed weights and the position terms of its three
// attention sites. Read-only, shared by all workers.
#pragma once

#include <algorithm>
#include <memory>

#include "kernels/packed_linear.h"
#include "nmt/engine/engine_weights.h"
#include "nmt/engine/position_tables.h"

namespace dietmt::nmt {

struct EngineModel {
  std::shared_ptr<const EngineWeights> weights;
  std::unique_ptr<PositionTables> encoder;
  std::unique_ptr<PositionTables> decoder;
  std::unique_ptr<PositionTables> cross;

  int64_t max_source_length() const { return std::min(encoder->max_length(), cross->max_length()); }
  int64_t max_target_length() const { return std::min(decoder->max_length(), cross->max_length()); }
};

}  // namespace dietmt::nmt
