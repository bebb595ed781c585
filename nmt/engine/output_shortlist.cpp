#include "nmt/engine/output_shortlist.h"

namespace dietmt::nmt {

void ChosenOutputs::choose(const LinearWeights& all, std::span<const int32_t> tokens) {
  const kernels::PackedWeights& weights = all.weights;
  const auto count = static_cast<int64_t>(tokens.size());
  const size_t bytes = kernels::packed_bytes(weights.type, count, weights.inputs);
  uint8_t* panels = panels_.reserve(static_cast<int64_t>(bytes));
  float* scales = scales_.reserve(count);
  int32_t* sums = sums_.reserve(count);
  kernels::gather_outputs(weights, tokens, panels, scales, sums);
  layer_ = {{weights.type, count, weights.inputs, panels, scales, sums}};
  if (all.bias == nullptr) return;
  float* bias = bias_.reserve(count);
  for (int64_t c = 0; c < count; ++c) bias[c] = all.bias[tokens[static_cast<size_t>(c)]];
  layer_.bias = bias;
}

}  // namespace dietmt::nmt
