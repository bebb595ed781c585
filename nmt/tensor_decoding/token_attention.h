// The attention between the tokens of sentences and their given translations, for word alignments.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nmt/network/translation_model.h"
#include "nmt/search/search_task.h"

namespace dietmt::nmt {

struct AlignmentRequest {
  std::span<const int32_t> source;  // ends with end of sentence
  std::span<const int32_t> target;  // without it
};

/// Hypothesis::attention of each translation: the attention at ModelConfig::alignment(), averaged
/// over several models. Throws ConfigError if a model compresses the keys of cross-attention.
std::vector<std::vector<float>> token_attention(std::span<const TranslationModel* const> models,
                                                std::span<const AlignmentRequest> requests,
                                                const SpecialTokens& special);

}  // namespace dietmt::nmt
