// Few sizes for the batches of a device, so that a pass that is recorded once for a size serves
// many batches (training/loop/recorded_passes.h). Batches are filled up with short sentence pairs
// whose targets the loss ignores.
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

/// `number`, or the next one above that has `bits` binary digits after its first one and zeros
/// behind them: at most 1 / 2^bits more.
int64_t rounded_up(int64_t number, int bits);

/// How long sentences may be.
struct LongestSentences {
  int64_t source = 0;
  int64_t target = 0;
};

struct FilledBatch {
  data::ParallelBatch pairs;  // those given, then the fillers
  BatchSizes sizes;
};

/// Rounds up the numbers of tokens (by at most 1/16 beyond the fillers' least), of sentences (by
/// 1/4) and the longest lengths (by 1/2, up to `longest`, which no sentence exceeds). The fillers
/// consist of piece 0.
FilledBatch fill_up(const data::ParallelBatch& pairs, const LongestSentences& longest);

}  // namespace dietmt::nmt
