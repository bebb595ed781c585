// The batches of one epoch as compact lists of pair indices.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/corpus/batches.h"

namespace dietmt::data {

/// Batches of pair indices; 4 bytes per pair, and 4 more while a weighted corpus is planned.
struct BatchPlan {
  std::vector<uint32_t> pairs;   // of all batches, one after another
  std::vector<uint32_t> starts;  // batch b owns pairs starts[b] .. starts[b+1]-1
  std::vector<uint32_t> order;   // in which the batches are used

  int64_t batches() const { return static_cast<int64_t>(order.size()); }
  /// The pairs of the batch at `index` in the order of use.
  std::span<const uint32_t> batch(int64_t index) const;
};

/// The batches of an epoch: all pairs, or those drawn by weights (BatchOptions), shuffled, sorted
/// by (target, source) length inside windows of 2^17 pairs, cut, and the batches shuffled.
BatchPlan plan_epoch(const ParallelCorpus& corpus, const BatchOptions& options, int64_t epoch);

/// Batches over the corpus sorted by length, in that order.
BatchPlan plan_sorted(const ParallelCorpus& corpus, int64_t batch_tokens);

/// The tokens of the given pairs.
ParallelBatch assemble(const ParallelCorpus& corpus, std::span<const uint32_t> pairs);

}  // namespace dietmt::data
