#pragma once

#include <memory>

#include "nmt/network/translation_model.h"

namespace dietmt::nmt {

/// A model whose parameters the caller must set, all of them: its matrices hold anything, and take
/// no memory before that.
std::shared_ptr<TranslationModel> unset_model(const ModelConfig& config);

}  // namespace dietmt::nmt
