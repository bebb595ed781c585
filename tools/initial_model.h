// The model that `dietmt train` starts from, and what its options then mean.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nmt/model/model_files.h"
#include "nmt/network/translation_model.h"
#include "tools/train_options.h"

namespace dietmt::tools {

struct InitialModel {
  nmt::ModelFiles files;
  bool resumed = false;
};

/// The newest checkpoint of --output or the model of --init-from. A resumed training keeps the one
/// in its checkpoint, whatever happened to the files that it came from.
std::optional<InitialModel> find_initial_model(const TrainOptions& o);

/// Sets what no option gives: as the initial model, or as --preset. Returns the options that
/// contradict the initial model, one sentence each.
std::vector<std::string> settle_model(const OptionTable& table,
                                      const std::optional<InitialModel>& initial, TrainOptions& o);

/// A model of `config` with the weights of `initial` as far as they fit; logs the others.
std::shared_ptr<nmt::TranslationModel> start_from(const nmt::ModelFiles& initial,
                                                  const nmt::ModelConfig& config, uint64_t seed);

}  // namespace dietmt::tools
