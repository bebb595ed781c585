// FIRE (Li et al. 2024, "Functional Interpolation for Relative Positions Improves Long Context
// Transformers"): a small network of the distance, relative to the query's own position:
//
//   score[h,i,j] = q_i . k_j / sqrt(Dh) + f_h(u_ij)
//   u_ij = ln(c |i - j| + 1) / ln(c max(i, L) + 1),   f: 1 -> hidden -> H with ReLU between
//
// c and the threshold L are learned. L is the initial threshold times a learned factor: an
// optimiser that moves parameters by about the learning rate would never move a parameter of 512.

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "encoders/position/encodings/encoding_table.h"

namespace dietmt::encoders {
namespace {

enum class FireSharing { kNone, kLayers };

struct FireOptions {
  int64_t hidden = 32;
  int64_t threshold = 512;  // L at the start
  FireSharing sharing = FireSharing::kLayers;
};

class Fire : public PositionEncoding {
 public:
  Fire(const FireOptions& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;
  double kept_per_pair() const override {
    return static_cast<double>(hidden_weight_.numel() + head_bias_.numel());
  }

 private:
  /// f_h(u_ij) of `queries` rows from position `first` on: [L|1, H, queries, keys].
  at::Tensor bias(int64_t first, int64_t queries, int64_t keys,
                  const at::TensorOptions& options) const;

  double initial_threshold_;
  at::Tensor log_scale_;         // c = |log_scale|, at least 1e-6: [L|1], initially 0.1
  at::Tensor threshold_factor_;  // L / initial threshold, likewise: [L|1], initially 1
  at::Tensor hidden_weight_;     // [L|1, hidden], with its bias as a linear layer of one input
  at::Tensor hidden_bias_;       // [L|1, hidden]
  at::Tensor head_weight_;       // [L|1, hidden, H], likewise
  at::Tensor head_bias_;         // [L|1, H]
};

// Minimum of c and L: u is 0/0 if one of them is zero, and undefined below.
constexpr double kSmallestFire = 1e-6;

constexpr int64_t kMostHidden = 1 << 24;  // hidden units at once: 64 MB

constexpr std::array<Choice<FireSharing>, 2> kFireSharings = {
    {{"none", FireSharing::kNone}, {"layers", FireSharing::kLayers}}};

FireOptions fire_options(const OptionValues& values) {
  return {.hidden = values.number("hidden"),
          .threshold = values.number("threshold"),
          .sharing = choice_of(values, "share", kFireSharings)};
}

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

at::Tensor Fire::bias(int64_t first, int64_t queries, int64_t keys,
                      const at::TensorOptions& options) const {
  const auto by_layer = [](const at::Tensor& number) { return number.view({-1, 1, 1}); };
  const at::Tensor i = at::arange(first, first + queries, options).view({1, -1, 1});
  const at::Tensor j = at::arange(keys, options);
  const at::Tensor c = by_layer(positive(log_scale_, kSmallestFire));
  const at::Tensor factor = by_layer(positive(threshold_factor_, kSmallestFire));
  const at::Tensor least = at::maximum(i, initial_threshold_ * factor);      // [L|1, T, 1]
  const at::Tensor u = at::log1p(c * (i - j).abs()) / at::log1p(c * least);  // [L|1, T, S]
  const at::Tensor hidden = at::relu(u.unsqueeze(-1) * hidden_weight_.unsqueeze(1).unsqueeze(1) +
                                     hidden_bias_.unsqueeze(1).unsqueeze(1));
  const at::Tensor weight = head_weight_.to(hidden.scalar_type());
  const at::Tensor bias = at::matmul(hidden.flatten(1, 2), weight) + head_bias_.unsqueeze(1);
  return bias.transpose(1, 2).unflatten(2, {queries, keys});
}

// Without gradients the hidden units of long sentences, [L|1, T, S, hidden], come in parts.
void Fire::lower(const Extent& extent, LayerTerms& terms) const {
  const int64_t row = std::max<int64_t>(1, hidden_weight_.numel() * extent.keys);
  const int64_t at_once =
      std::max<int64_t>(1, at::GradMode::is_enabled() ? extent.queries : kMostHidden / row);
  std::vector<at::Tensor> parts;
  int64_t t = 0;
  do {
    parts.push_back(bias(t, std::min(at_once, extent.queries - t), extent.keys, terms.options()));
    t += at_once;
  } while (t < extent.queries);
  terms.set(&ScoreTerms::position_bias, parts.size() == 1 ? parts.front() : at::cat(parts, 2));
}

double fire_parameters(const OptionValues& values, const EncodingContext& context) {
  const FireOptions options = fire_options(values);
  const auto layers =
      static_cast<double>(options.sharing == FireSharing::kLayers ? 1 : context.layers);
  const auto hidden = static_cast<double>(options.hidden);
  const auto heads = static_cast<double>(context.heads);
  return layers * (2.0 + 2.0 * hidden + hidden * heads + heads);
}

}  // namespace

EncodingRow fire_row() {
  constexpr FireOptions kDefaults;
  return {.name = "fire",
          .formula = "q_i.k_j/sqrt(Dh) + MLP_h(ln(c|i-j|+1) / ln(c max(i,L)+1))",
          .position_only = true,
          .options = {number_option("hidden", kDefaults.hidden, 1, "width of the network"),
                      number_option("threshold", kDefaults.threshold, 1, "initial L"),
                      choice_option("share", kFireSharings, kDefaults.sharing,
                                    "what shares one network")},
          .parameters = fire_parameters,
          .make = make_encoding<Fire, fire_options>};
}

}  // namespace dietmt::encoders
