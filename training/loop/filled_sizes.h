// Rounds the sizes of a device's batches, so that a pass recorded once per size serves many batches
// (recorded_passes.h). Batches are padded with short sentences that the loss ignores.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/corpus/batches.h"
#include "encoders/attention/packing.h"

namespace dietmt::training {

/// Rounds `number` up to a number with at most `bits` significant binary digits after the leading
/// one: at most 1 / 2^bits more.
int64_t rounded_up(int64_t number, int bits);

/// Rounds up a number of tokens. They cost time in every layer, so by at most 1/16.
int64_t rounded_tokens(int64_t tokens);

/// Sentences to which fillers are added.
struct GivenSentences {
  const data::PackedTokens& packed;
  int64_t longest = 0;  // limit for the length of given and added sentences
};

/// Rounds up the numbers of sentences (by 1/4) and tokens (rounded_tokens(), beyond the fillers'
/// minimum) and the longest lengths (by 1/2), per side. All `sides`, such as source and target,
/// have and get the same number of sentences.
std::vector<encoders::PackingSizes> filled_sizes(std::span<const GivenSentences> sides);

/// The sizes of all sides, concatenated: a key of RecordedPasses.
std::vector<int64_t> list_of(std::span<const encoders::PackingSizes> sizes);

/// Appends sentences of piece 0 until `packed` has these sizes, from filled_sizes().
void append_fillers(data::PackedTokens& packed, const encoders::PackingSizes& sizes);

}  // namespace dietmt::training
