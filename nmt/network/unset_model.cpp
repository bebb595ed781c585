#include "nmt/network/unset_model.h"

#include "encoders/ops/undrawn_weights.h"

namespace dietmt::nmt {

std::shared_ptr<TranslationModel> unset_model(const ModelConfig& config) {
  const encoders::UndrawnWeights undrawn;
  return std::make_shared<TranslationModel>(config, 0);
}

}  // namespace dietmt::nmt
