#include "encoders/comet/layer_mix.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include <optional>

#include "encoders/ops/deterministic_sums.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;

constexpr double kEpsilon = 1e-12;

/// lengths: [B]; input_of_token: [N].
Tensor normalised(const Tensor& states, const Tensor& lengths, const Tensor& input_of_token) {
  const auto mean_of_inputs = [&](const Tensor& values) {  // [N, D] -> [N, 1]
    const Tensor sums = sums_by_index(values.sum(1), input_of_token, lengths.size(0));
    return (sums / (lengths * values.size(1))).index_select(0, input_of_token).unsqueeze(1);
  };
  const Tensor centred = states - mean_of_inputs(states);
  return centred / at::sqrt(mean_of_inputs(centred * centred) + kEpsilon);
}

}  // namespace

Tensor sparsemax(const Tensor& scores) {
  const Tensor sorted = std::get<0>(scores.sort(0, /*descending=*/true));
  const Tensor above = sorted.cumsum(0) - 1;
  const Tensor counts = at::arange(1, scores.size(0) + 1, scores.options());
  const Tensor support = (counts * sorted > above).sum();  // entries with a weight, at least one
  const Tensor threshold = above.index_select(0, (support - 1).reshape({1})) / support;
  return at::relu(scores - threshold);
}

LayerMix::LayerMix(int64_t layers, const std::string& weights, bool norm)
    : is_sparse_(weights == "sparsemax"), norm_(norm) {
  scores_ = register_parameter("scores", torch::zeros({layers}));
  gamma_ = register_parameter("gamma", torch::ones({1}));
}

Tensor LayerMix::forward(const std::vector<Tensor>& layers, const Packing& packing) const {
  const Tensor weights = is_sparse_ ? sparsemax(scores_) : at::softmax(scores_, 0);
  const Tensor& lengths = packing.length_tensor();
  // An optional, or the overload that repeats every length is called.
  const std::optional<int64_t> tokens = packing.tokens();
  const Tensor input_of_token = norm_ ? at::repeat_interleave(lengths, tokens) : Tensor();
  Tensor mixed = at::zeros_like(layers[0]);
  for (size_t l = 0; l < layers.size(); ++l) {
    const Tensor weight = weights[static_cast<int64_t>(l)];
    mixed += weight * (norm_ ? normalised(layers[l], lengths, input_of_token) : layers[l]);
  }
  return gamma_ * mixed;
}

}  // namespace dietmt::encoders
