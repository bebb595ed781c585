// A translation model that goes on from a trained one, for another domain or with other positions.
#pragma once

#include <memory>

#include "encoders/transformer/inheritance.h"
#include "nmt/network/translation_model.h"

namespace dietmt::nmt {

struct RebuiltModel {
  std::shared_ptr<TranslationModel> model;
  encoders::Inheritance inheritance;
};

/// A model of `config` with the parameters that `trained` has (encoders::inherit()); the others are
/// drawn from `seed`.
RebuiltModel rebuild(const TranslationModel& trained, const ModelConfig& config, uint64_t seed);

}  // namespace dietmt::nmt
