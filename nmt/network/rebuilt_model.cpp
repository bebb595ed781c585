#include "nmt/network/rebuilt_model.h"

namespace dietmt::nmt {

RebuiltModel rebuild(const TranslationModel& trained, const ModelConfig& config, uint64_t seed) {
  RebuiltModel rebuilt{std::make_shared<TranslationModel>(config, seed), {}};
  rebuilt.inheritance = encoders::inherit(*rebuilt.model, config.max_positions, trained,
                                          trained.config().max_positions);
  return rebuilt;
}

}  // namespace dietmt::nmt
