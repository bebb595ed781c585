// The translation models of `dietmt clean`.
#pragma once

#include <vector>

#include "data/cleaning/cleaner.h"
#include "tools/clean_files.h"

namespace dietmt::tools {

/// Loads --score-model and --score-model-reverse. Throws ConfigError if there are models, but no
/// rule that needs them, and if a model needs LibTorch or reads the sentences before.
data::PairScorer pair_scorer(const CleanOptions& o, const std::vector<data::Rule>& rules);

}  // namespace dietmt::tools
