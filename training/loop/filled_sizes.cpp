#include "training/loop/filled_sizes.h"

#include <algorithm>
#include <bit>

namespace dietmt::training {
namespace {

// Tokens cost time in every layer, a sentence at least one token, and the longest length only rows
// of position tables.
constexpr int kTokenBits = 4, kSentenceBits = 2, kLengthBits = 1;

int64_t longest_of(const data::PackedTokens& packed) {
  int32_t longest = 0;
  for (size_t b = 0; b + 1 < packed.offsets.size(); ++b)
    longest = std::max(longest, packed.offsets[b + 1] - packed.offsets[b]);
  return longest;
}

encoders::PackingSizes sizes_with(const GivenSentences& given, int64_t fillers) {
  const data::PackedTokens& packed = given.packed;
  return encoders::with_most_tiles(
      {.sentences = packed.sentences() + fillers,
       .tokens = rounded_tokens(packed.size() + fillers),
       .max_length = std::min(rounded_up(longest_of(packed), kLengthBits), given.longest)});
}

/// Whether the missing sentences, none above the longest length, can hold the missing tokens.
bool can_fill(const data::PackedTokens& packed, const encoders::PackingSizes& sizes) {
  const int64_t fillers = sizes.sentences - packed.sentences();
  const int64_t missing = sizes.tokens - packed.size();
  return missing >= fillers && missing <= fillers * sizes.max_length;
}

}  // namespace

int64_t rounded_up(int64_t number, int bits) {
  const int64_t digits = std::bit_width(static_cast<uint64_t>(number));
  const int64_t step = int64_t{1} << std::max<int64_t>(0, digits - 1 - bits);
  return (number + step - 1) / step * step;
}

int64_t rounded_tokens(int64_t tokens) { return rounded_up(tokens, kTokenBits); }

std::vector<encoders::PackingSizes> filled_sizes(std::span<const GivenSentences> sides) {
  const int64_t given = sides.front().packed.sentences();
  for (int64_t sentences = rounded_up(given, kSentenceBits);;
       sentences = rounded_up(sentences + 1, kSentenceBits)) {
    std::vector<encoders::PackingSizes> sizes;
    bool fits = true;
    for (const GivenSentences& side : sides) {
      sizes.push_back(sizes_with(side, sentences - given));
      fits = fits && can_fill(side.packed, sizes.back());
    }
    if (fits) return sizes;
  }
}

std::vector<int64_t> list_of(std::span<const encoders::PackingSizes> sizes) {
  std::vector<int64_t> list;
  for (const encoders::PackingSizes& one : sizes)
    list.insert(list.end(),
                {one.sentences, one.tokens, one.max_length, one.tiles, one.packed_tiles});
  return list;
}

// Fillers have about equal lengths.
void append_fillers(data::PackedTokens& packed, const encoders::PackingSizes& sizes) {
  for (int64_t left = sizes.sentences - packed.sentences(); left > 0; --left) {
    const auto length = static_cast<size_t>((sizes.tokens - packed.size() + left - 1) / left);
    packed.append(std::vector<int32_t>(length));
  }
}

}  // namespace dietmt::training
