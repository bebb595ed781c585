// The translation models and the aligner of `dietmt clean`.
#pragma once

#include <vector>

#include "data/cleaning/cleaner.h"
#include "tools/clean_files.h"

namespace dietmt::tools {

/// Loads --score-model and --score-model-reverse. Throws ConfigError if there are models, but no
/// rule that needs them, and if a model needs LibTorch or reads the sentences before.
data::PairScorer model_scorer(const CleanOptions& o, const std::vector<data::Rule>& rules);

/// Trains the aligner of WordAlignFilter on the inputs; none if there is no such rule. Throws
/// ConfigError if an input is no file, since it is read twice.
data::PairScorer aligner_scorer(const CleanOptions& o, const std::vector<data::Rule>& rules);

}  // namespace dietmt::tools
