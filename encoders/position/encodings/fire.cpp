#include "encoders/position/encodings/fire.h"

#include <ATen/ATen.h>

#include <cmath>

namespace dietmt::encoders {

Fire::Fire(const FireOptions& options, const EncodingContext& context) {
  const int64_t layers = options.sharing == FireSharing::kLayers ? 1 : context.layers;
  const double bound = 1.0 / std::sqrt(static_cast<double>(options.hidden));
  const auto uniform = [](at::IntArrayRef sizes, double limit) {
    return at::empty(sizes).uniform_(-limit, limit);
  };
  log_scale_ = register_parameter("log_scale", at::full({layers}, 0.1));
  threshold_ =
      register_parameter("threshold", at::full({layers}, static_cast<double>(options.threshold)));
  hidden_weight_ = register_parameter("hidden_weight", uniform({layers, options.hidden}, 1.0));
  hidden_bias_ = register_parameter("hidden_bias", uniform({layers, options.hidden}, 1.0));
  head_weight_ =
      register_parameter("head_weight", uniform({layers, options.hidden, context.heads}, bound));
  head_bias_ = register_parameter("head_bias", uniform({layers, context.heads}, bound));
}

void Fire::lower(const Extent& extent, LayerTerms& terms) const {
  const auto by_layer = [](const at::Tensor& number) { return number.view({-1, 1, 1}); };
  const at::Tensor i =
      at::arange(extent.query_start, extent.query_start + extent.queries, terms.options())
          .view({1, -1, 1});
  const at::Tensor j = at::arange(extent.keys, terms.options());
  const at::Tensor c = by_layer(log_scale_);
  const at::Tensor least = at::maximum(i, by_layer(threshold_));             // [L|1, T, 1]
  const at::Tensor u = at::log1p(c * (i - j).abs()) / at::log1p(c * least);  // [L|1, T, S]
  const at::Tensor hidden = at::relu(u.unsqueeze(-1) * hidden_weight_.unsqueeze(1).unsqueeze(1) +
                                     hidden_bias_.unsqueeze(1).unsqueeze(1));
  const at::Tensor bias = at::matmul(hidden.flatten(1, 2), head_weight_) + head_bias_.unsqueeze(1);
  terms.set(&ScoreTerms::position_bias,
            bias.transpose(1, 2).unflatten(2, {extent.queries, extent.keys}));
}

}  // namespace dietmt::encoders
