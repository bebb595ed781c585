#include "encoders/comet/comet.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include <string>

#include "encoders/bert/pooling.h"
#include "encoders/ops/scopes.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;

Tensor activated(const Tensor& x, const std::string& function) {
  if (function == "tanh") return at::tanh(x);
  if (function == "sigmoid") return at::sigmoid(x);
  if (function == "softplus") return at::softplus(x);
  return x;
}

}  // namespace

CometModel::CometModel(const CometConfig& config, uint64_t seed) : config_(config) {
  const SeededDraws draws(seed);
  encoder_ = register_module("encoder", std::make_shared<BertModel>(config.encoder));
  config_.encoder = encoder_->config();
  if (config.layer == CometConfig::kAllLayers) {
    layer_mix_ = register_module(
        "layer_mix", std::make_shared<LayerMix>(config.encoder.layers + 1, config.layer_weights,
                                                config.layer_norm));
  }
  int64_t inputs = config.features();
  std::vector<int64_t> outputs = config.hidden_sizes;
  outputs.push_back(1);
  for (const int64_t size : outputs) {
    const std::string name = "estimator" + std::to_string(estimator_.size());
    estimator_.push_back(register_module(name, std::make_shared<Dense>(inputs, size)));
    inputs = size;
  }
}

Tensor CometModel::embed(const Tensor& pieces, const Packing& packing,
                         const PooledTokens* pooled) const {
  const std::vector<Tensor> layers = encoder_->hidden_states(pieces, packing);
  const Tensor all = layer_mix_ ? layer_mix_->forward(layers, packing)
                                : layers[static_cast<size_t>(config_.layer)];
  const Tensor states = pooled != nullptr ? all.index_select(0, pooled->rows) : all;
  const Packing& counted = pooled != nullptr ? pooled->packing : packing;
  if (config_.pooling == "avg") return mean_states(states, counted);
  if (config_.pooling == "max") return max_states(states, counted);
  return first_states(states, counted);
}

Tensor CometModel::features(const CometVectors& v) const {
  if (config_.kind == "unified") return v.translation;
  const Tensor& m = v.translation;
  std::vector<Tensor> parts = {m};
  const auto compare = [&](const Tensor& other) {
    parts.push_back(m * other);
    parts.push_back(at::abs(m - other));
  };
  if (config_.kind == "regression") {
    parts.push_back(v.reference);
    compare(v.reference);
  } else {
    parts.push_back(v.source);
  }
  compare(v.source);
  return at::cat(parts, 1);
}

Tensor CometModel::estimate(const CometVectors& vectors) const {
  Tensor values = features(vectors);  // [B, F]
  for (size_t i = 0; i < estimator_.size(); ++i) {
    const bool is_last = i + 1 == estimator_.size();
    values = activated(estimator_[i]->forward(values),
                       is_last ? config_.final_activation : config_.activation);
  }
  return values.squeeze(1);
}

}  // namespace dietmt::encoders
