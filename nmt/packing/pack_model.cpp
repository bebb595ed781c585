#include "nmt/packing/pack_model.h"

#include <ATen/ATen.h>

#include "nmt/network/translation_model.h"
#include "nmt/packing/lower_positions.h"
#include "nmt/packing/packing_weights.h"

namespace dietmt::nmt {

EngineModel make_engine_model(std::shared_ptr<const EngineWeights> weights,
                              const PositionSchemes& positions) {
  EngineModel made;
  made.encoder = lower_positions(positions.encoder, encoder_sizes(*weights));
  made.decoder = lower_positions(positions.decoder, decoder_sizes(*weights));
  made.cross = lower_positions(positions.cross, decoder_sizes(*weights));
  made.weights = std::move(weights);
  return made;
}

EngineModel make_engine_model(const TranslationModel& model, kernels::WeightType type) {
  const c10::InferenceMode inference;
  NamedTensors parameters;
  for (const auto& parameter : model.named_parameters())
    parameters[parameter.key()] = parameter.value().detach();
  PackingWeights packing(std::move(parameters), "the model", type);
  return make_engine_model(
      assemble_weights(model.config(), packing),
      {model.encoder_position(), model.decoder_position(), model.cross_position()});
}

}  // namespace dietmt::nmt
