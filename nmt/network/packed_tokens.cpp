#include "nmt/network/packed_tokens.h"

namespace dietmt::nmt {

data::PackedTokens pack(std::span<const std::vector<int32_t>* const> sentences) {
  data::PackedTokens packed;
  for (const auto* sentence : sentences) packed.append(*sentence);
  return packed;
}

data::PackedTokens shifted_right(const data::PackedTokens& target, int32_t begin) {
  data::PackedTokens shifted{std::vector<int32_t>(target.tokens.size()), target.offsets};
  for (size_t b = 0; b + 1 < target.offsets.size(); ++b) {
    const auto first = static_cast<size_t>(target.offsets[b]);
    const auto end = static_cast<size_t>(target.offsets[b + 1]);
    shifted.tokens[first] = begin;
    for (size_t i = first + 1; i < end; ++i) shifted.tokens[i] = target.tokens[i - 1];
  }
  return shifted;
}

}  // namespace dietmt::nmt
