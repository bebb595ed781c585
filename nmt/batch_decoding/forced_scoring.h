// Log-probabilities of given translations.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "nmt/network/translation_model.h"

namespace dietmt::nmt {

struct ScoringRequest {
  std::vector<int32_t> source;  // ends in end of sentence
  std::vector<int32_t> target;  // ends in end of sentence
};

struct ScoringOptions {
  int32_t begin_id = 1;
  int64_t batch_tokens = 4096;  // at most so many source or target tokens in a batch
  int64_t threads = 0;          // on the CPU; 0: as many as ATen uses
};

/// log p(target token i | source, targets before i) of every target token, natural logarithm; with
/// several models, the logarithm of their averaged probability. The scores of a pair have the same
/// bits in all batches. `progress`: see Translator::translate.
std::vector<std::vector<float>> score_targets(std::span<const TranslationModel* const> models,
                                              std::span<const ScoringRequest> requests,
                                              const ScoringOptions& options,
                                              const std::function<void(int64_t)>& progress = {});

}  // namespace dietmt::nmt
