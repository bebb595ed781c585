// Few sizes for the batches of a device, so that a pass that is recorded once for a size serves
// many batches (recorded_passes.h). Batches are filled up with short sentences that the loss
// ignores.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/corpus/batches.h"
#include "encoders/attention/packing.h"

namespace dietmt::training {

/// `number`, or the next one above that has `bits` binary digits after its first one and zeros
/// behind them: at most 1 / 2^bits more.
int64_t rounded_up(int64_t number, int bits);

/// The same for a number of tokens, which cost time in every layer: at most 1/16 more.
int64_t rounded_tokens(int64_t tokens);

/// Sentences to which others are added.
struct GivenSentences {
  const data::PackedTokens& packed;
  int64_t longest = 0;  // no sentence exceeds this length, and none of those added
};

/// Rounds up the numbers of sentences (by 1/4), of tokens (as rounded_tokens(), beyond the fillers'
/// least) and the longest lengths (by 1/2). All `sides`, such as source and target, have and get
/// equally many sentences. By side.
std::vector<encoders::PackingSizes> filled_sizes(std::span<const GivenSentences> sides);

/// All of them, one after another: a key of RecordedPasses.
std::vector<int64_t> list_of(std::span<const encoders::PackingSizes> sizes);

/// Adds sentences of piece 0 until `packed` has these sizes, which are those of filled_sizes().
void append_fillers(data::PackedTokens& packed, const encoders::PackingSizes& sizes);

}  // namespace dietmt::training
