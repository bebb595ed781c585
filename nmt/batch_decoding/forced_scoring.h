// Log-probabilities of given translations.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "nmt/network/translation_model.h"

namespace dietmt::nmt {

/// Groups the indices of sentences by length, longest first, so that the number of sentences times
/// the longest length of a batch stays within `batch_tokens`. A longer sentence gets its own batch.
std::vector<std::vector<size_t>> batches_by_length(std::span<const int64_t> lengths,
                                                   int64_t batch_tokens);

/// Calls `work` for each batch from `threads` threads (0: as many as ATen uses). Each of them
/// computes with one ATen thread: sentences in parallel scale better than small matrix products,
/// and a result cannot depend on how a product is split. `progress` gets the size of each finished
/// batch, from one thread at a time. After an exception no thread starts another batch, and the
/// caller gets the exception. Throws Error if the system cannot start enough threads.
void for_each_batch(const std::vector<std::vector<size_t>>& batches, int64_t threads,
                    const std::function<void(const std::vector<size_t>&)>& work,
                    const std::function<void(int64_t)>& progress);

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
