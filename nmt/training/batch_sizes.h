// Batches of sentence pairs of few sizes (training/loop/filled_sizes.h).
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "data/corpus/batches.h"
#include "encoders/attention/packing.h"

namespace dietmt::nmt {

/// What the host must know of a batch.
struct BatchSizes {
  encoders::PackingSizes source;
  encoders::PackingSizes target;

  auto operator<=>(const BatchSizes&) const = default;

  /// All of them, as a key.
  std::vector<int64_t> list() const;
};

/// How long sentences may be.
struct LongestSentences {
  int64_t source = 0;
  int64_t target = 0;
};

struct FilledBatch {
  data::ParallelBatch pairs;  // those given, then the fillers
  BatchSizes sizes;
};

/// Adds pairs, whose targets the loss must ignore. No sentence exceeds `longest`.
FilledBatch fill_up(const data::ParallelBatch& pairs, const LongestSentences& longest);

}  // namespace dietmt::nmt
