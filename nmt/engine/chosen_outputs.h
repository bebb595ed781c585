// The output layer of some tokens alone, packed from that of all for one sentence.
#pragma once

#include <cstdint>
#include <span>

#include "nmt/engine/aligned_buffer.h"
#include "nmt/engine/engine_weights.h"

namespace dietmt::nmt {

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
