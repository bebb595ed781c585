#include "data/text/encoder_input.h"

#include <algorithm>

namespace dietmt::data {

EncoderInput encoder_input(std::span<const int32_t> first,
                           std::optional<std::span<const int32_t>> second,
                           const SpecialPieces& special, int64_t max_length) {
  const int64_t room = max_length - (second ? 3 : 2);
  int64_t a = std::ssize(first);
  int64_t b = second ? std::ssize(*second) : 0;
  EncoderInput input;
  input.cut = std::max<int64_t>(0, a + b - room);
  // Shortens the longer text to the length of the other one, then both in turn.
  const int64_t from_longer = std::min(input.cut, std::abs(a - b));
  (a > b ? a : b) -= from_longer;
  const int64_t from_both = input.cut - from_longer;
  b -= (from_both + 1) / 2;
  a -= from_both / 2;

  const auto append = [&](std::span<const int32_t> pieces) {
    input.ids.insert(input.ids.end(), pieces.begin(), pieces.end());
    input.ids.push_back(special.separate);
  };
  input.ids.push_back(special.classify);
  append(first.first(static_cast<size_t>(a)));
  input.second_begin = std::ssize(input.ids);
  if (second) append(second->first(static_cast<size_t>(b)));
  return input;
}

}  // namespace dietmt::data
