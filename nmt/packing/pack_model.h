// Makes a model of the decoding engine from a trainable one.
#pragma once

#include <memory>

#include "nmt/engine/engine_model.h"

namespace dietmt::encoders {
class PositionScheme;
}

namespace dietmt::nmt {

class TranslationModel;

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
