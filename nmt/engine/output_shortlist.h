// The output layer of one sentence, restricted to the likely tokens of a shortlist
// (docs/shortlist.md).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "nmt/engine/aligned_buffer.h"
#include "nmt/engine/engine_model.h"

namespace dietmt::nmt {

/// Sets `tokens` to the target tokens that translations of `source` may have, ascending, each once;
/// a decoder adds end of sentence and the tokens of a given prefix. If there are none but end of
/// sentence, translations may have all tokens. Several threads call it.
using OutputShortlist =
    std::function<void(std::span<const int32_t> source, std::vector<int32_t>& tokens)>;

/// The output layer of some tokens, packed for one sentence from the layer of all tokens.
class ChosenOutputs {
 public:
  /// Output c of layer() becomes output tokens[c] of `all`, with the same bits. Its memory is used
  /// again by the next call.
  void choose(const LinearWeights& all, std::span<const int32_t> tokens);

  const LinearWeights& layer() const { return layer_; }

 private:
  LinearWeights layer_;
  AlignedBuffer<uint8_t> panels_;
  AlignedBuffer<float> scales_;
  AlignedBuffer<int32_t> sums_;
  AlignedBuffer<float> bias_;
};

}  // namespace dietmt::nmt
