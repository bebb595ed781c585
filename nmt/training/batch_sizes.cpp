#include "nmt/training/batch_sizes.h"

#include <algorithm>
#include <bit>

namespace dietmt::nmt {
namespace {

// Tokens cost time in every layer, sentences a token at least, longest lengths only rows of
// position tables.
constexpr int kTokenBits = 4, kSentenceBits = 2, kLengthBits = 1;

int64_t longest_of(const data::PackedTokens& packed) {
  int32_t longest = 0;
  for (size_t b = 0; b + 1 < packed.offsets.size(); ++b)
    longest = std::max(longest, packed.offsets[b + 1] - packed.offsets[b]);
  return longest;
}

encoders::PackingSizes filled_sizes(const data::PackedTokens& packed, int64_t fillers,
                                    int64_t longest) {
  encoders::PackingSizes sizes{
      .sentences = packed.sentences() + fillers,
      .tokens = rounded_up(packed.size() + fillers, kTokenBits),
      .max_length = std::min(rounded_up(longest_of(packed), kLengthBits), longest)};
  sizes.tiles = encoders::most_tiles(sizes);
  return sizes;
}

/// Whether so many sentences, none above the longest length, can hold the tokens that are missing.
bool can_fill(const data::PackedTokens& packed, const encoders::PackingSizes& sizes) {
  const int64_t fillers = sizes.sentences - packed.sentences();
  const int64_t missing = sizes.tokens - packed.size();
  return missing >= fillers && missing <= fillers * sizes.max_length;
}

/// Of about equal lengths.
void append_fillers(data::PackedTokens& packed, const encoders::PackingSizes& sizes) {
  for (int64_t left = sizes.sentences - packed.sentences(); left > 0; --left) {
    const auto length = static_cast<size_t>((sizes.tokens - packed.size() + left - 1) / left);
    packed.append(std::vector<int32_t>(length));
  }
}

}  // namespace

std::vector<int64_t> BatchSizes::list() const {
  std::vector<int64_t> all;
  for (const encoders::PackingSizes& sizes : {source, target})
    all.insert(all.end(), {sizes.sentences, sizes.tokens, sizes.max_length, sizes.tiles});
  return all;
}

int64_t rounded_up(int64_t number, int bits) {
  const int64_t digits = std::bit_width(static_cast<uint64_t>(number));
  const int64_t step = int64_t{1} << std::max<int64_t>(0, digits - 1 - bits);
  return (number + step - 1) / step * step;
}

FilledBatch fill_up(const data::ParallelBatch& pairs, const LongestSentences& longest) {
  FilledBatch filled{pairs, {}};
  const int64_t given = pairs.source.sentences();
  for (int64_t sentences = rounded_up(given, kSentenceBits);;
       sentences = rounded_up(sentences + 1, kSentenceBits)) {
    filled.sizes = {filled_sizes(pairs.source, sentences - given, longest.source),
                    filled_sizes(pairs.target, sentences - given, longest.target)};
    if (can_fill(pairs.source, filled.sizes.source) && can_fill(pairs.target, filled.sizes.target))
      break;
  }
  append_fillers(filled.pairs.source, filled.sizes.source);
  append_fillers(filled.pairs.target, filled.sizes.target);
  return filled;
}

}  // namespace dietmt::nmt
