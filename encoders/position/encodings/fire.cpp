#include "encoders/position/encodings/fire.h"

#include <ATen/ATen.h>

#include <cmath>

namespace dietmt::encoders {
namespace {

// Of c and L: u is 0/0 where one of them is zero, and undefined below.
constexpr double kSmallestFire = 1e-6;

constexpr std::array<Choice<FireSharing>, 2> kFireSharings = {
    {{"none", FireSharing::kNone}, {"layers", FireSharing::kLayers}}};

FireOptions fire_options(const OptionValues& values) {
  return {.hidden = values.number("hidden"),
          .threshold = values.number("threshold"),
          .sharing = choice_of(values, "share", kFireSharings)};
}

}  // namespace

Fire::Fire(const FireOptions& options, const EncodingContext& context)
    : initial_threshold_(static_cast<double>(options.threshold)) {
  const int64_t layers = options.sharing == FireSharing::kLayers ? 1 : context.layers;
  const double bound = 1.0 / std::sqrt(static_cast<double>(options.hidden));
  const auto uniform = [](at::IntArrayRef sizes, double limit) {
    return at::empty(sizes).uniform_(-limit, limit);
  };
  log_scale_ = register_parameter("log_scale", at::full({layers}, 0.1));
  threshold_factor_ = register_parameter("threshold_factor", at::ones({layers}));
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
  const at::Tensor c = by_layer(positive(log_scale_, kSmallestFire));
  const at::Tensor factor = by_layer(positive(threshold_factor_, kSmallestFire));
  const at::Tensor least = at::maximum(i, initial_threshold_ * factor);      // [L|1, T, 1]
  const at::Tensor u = at::log1p(c * (i - j).abs()) / at::log1p(c * least);  // [L|1, T, S]
  const at::Tensor hidden = at::relu(u.unsqueeze(-1) * hidden_weight_.unsqueeze(1).unsqueeze(1) +
                                     hidden_bias_.unsqueeze(1).unsqueeze(1));
  const at::Tensor bias = at::matmul(hidden.flatten(1, 2), head_weight_) + head_bias_.unsqueeze(1);
  terms.set(&ScoreTerms::position_bias,
            bias.transpose(1, 2).unflatten(2, {extent.queries, extent.keys}));
}

EncodingRow fire_row() {
  constexpr FireOptions kDefaults;
  return {.name = "fire",
          .formula = "q_i.k_j/sqrt(Dh) + MLP_h(ln(c|i-j|+1) / ln(c max(i,L)+1))",
          .options = {number_option("hidden", kDefaults.hidden, 1, "width of the network"),
                      number_option("threshold", kDefaults.threshold, 1, "initial L"),
                      choice_option("share", kFireSharings, kDefaults.sharing,
                                    "what shares one network")},
          .make = make_encoding<Fire, fire_options>};
}

}  // namespace dietmt::encoders
