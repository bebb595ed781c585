// The model that a training takes its sizes, its vocabulary and its first weights from: that of
// `dietmt train --init-from`.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nmt/model/model_files.h"
#include "nmt/network/translation_model.h"
#include "tools/model_options.h"

namespace dietmt::tools {

/// Puts what `model` has in the place of all that no option gives: sizes, positions, dropout. What
/// options may not change is returned where they do, one sentence each with both values.
std::vector<std::string> keep_sizes(const OptionTable& table, const nmt::ModelFiles& model,
                                    ModelOptions& options);

/// A model of `config` with the weights of `initial` as far as they fit. Says in the log what
/// starts anew.
std::shared_ptr<nmt::TranslationModel> start_from(const nmt::ModelFiles& initial,
                                                  const nmt::ModelConfig& config, uint64_t seed);

}  // namespace dietmt::tools
