// One model as the engine decodes with it: packed weights and the position terms of its three
// attention sites. Read-only, shared by all workers.
#pragma once

#include <algorithm>
#include <memory>

#include "kernels/packed_linear.h"
#include "nmt/decoding/engine/engine_weights.h"
#include "nmt/decoding/engine/position_tables.h"

namespace dietmt::encoders {
class PositionScheme;
}

namespace dietmt::nmt {

class TranslationModel;

struct EngineModel {
  std::shared_ptr<const EngineWeights> weights;
  std::unique_ptr<PositionTables> encoder;
  std::unique_ptr<PositionTables> decoder;
  std::unique_ptr<PositionTables> cross;

  int64_t max_source_length() const { return std::min(encoder->max_length(), cross->max_length()); }
  int64_t max_target_length() const { return std::min(decoder->max_length(), cross->max_length()); }
};

/// The position encodings of the three sites.
struct PositionSchemes {
  std::shared_ptr<const encoders::PositionScheme> encoder;
  std::shared_ptr<const encoders::PositionScheme> decoder;
  std::shared_ptr<const encoders::PositionScheme> cross;
};

EngineModel make_engine_model(std::shared_ptr<const EngineWeights> weights,
                              const PositionSchemes& positions);

/// `model` is on the CPU and may be dropped afterwards.
EngineModel make_engine_model(const TranslationModel& model, kernels::WeightType type);

}  // namespace dietmt::nmt
