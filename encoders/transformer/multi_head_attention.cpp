#include "encoders/transformer/multi_head_attention.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include "encoders/attention/head_layout.h"
#include "encoders/attention/vector_terms.h"
#include "encoders/ops/linear.h"
#include "encoders/ops/undrawn_weights.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;

// Uniform with the fan of one projection between the width of the model and that of all queries,
// scaled for projections that are stacked (Glorot and Bengio 2010; the 1/sqrt(2) for queries, keys
// and values follows common NMT practice).
Tensor projection(const AttentionConfig& config, int64_t outputs, int64_t inputs, double gain) {
  const double bound =
      gain * std::sqrt(6.0 / static_cast<double>(config.width + config.query_width()));
  Tensor weight = torch::empty({outputs, inputs});
  return UndrawnWeights::applies() ? weight : weight.uniform_(-bound, bound);
}

constexpr double kStackedGain = 0.70710678118654752;

}  // namespace

HeadVectors::HeadVectors(const AttentionConfig& config, torch::nn::Module& owner)
    : group_(config.heads / config.key_heads()) {
  if (!config.qk_norm) return;
  const auto norm = [&](const char* name) {
    return owner.register_module(
        name, std::make_shared<Norm>(config.head_width(), config.norm_epsilon, NormType::kRms));
  };
  query_norm_ = norm("query_norm");
  key_norm_ = norm("key_norm");
}

Tensor HeadVectors::values(const Tensor& x) const {
  if (group_ == 1) return x;
  return x.unsqueeze(2).expand({-1, -1, group_, -1}).flatten(1, 2);
}

SelfAttention::SelfAttention(const AttentionConfig& config, bool causal)
    : config_(config), causal_(causal), vectors_(config, *this) {
  const int64_t width = config.width, queries = config.query_width();
  const int64_t outputs = queries + 2 * config.key_width();
  input_weight_ =
      register_parameter("input_weight", projection(config, outputs, width, kStackedGain));
  input_bias_ = register_parameter("input_bias", torch::zeros({outputs}));
  output_weight_ = register_parameter("output_weight", projection(config, width, queries, 1.0));
  output_bias_ = register_parameter("output_bias", torch::zeros({width}));
}

SelfAttention::Projected SelfAttention::split(const Tensor& product) const {
  const int64_t heads = config_.heads, key_heads = config_.key_heads(), tokens = product.size(0);
  const std::vector<Tensor> parts =
      key_heads == heads ? split_heads(product.view({tokens, 3, heads, config_.head_width()}))
                         : product.view({tokens, heads + 2 * key_heads, config_.head_width()})
                               .split_with_sizes({heads, key_heads, key_heads}, 1);
  return {vectors_.queries(parts[0]), vectors_.keys(parts[1]), vectors_.values(parts[2])};
}

BranchAndResidual SelfAttention::forward(const Tensor& x, const Packing& packing,
                                         const ScoreTerms& terms, Backend backend,
                                         const DropoutSite& dropout) const {
  const BranchAndResidual product = linear_branch(x, input_weight_, input_bias_, Epilogue::kBias);
  const Projected own = split(product.branch.rows);
  const AttentionCall call{own.queries, own.keys, own.values, packing,           packing,
                           terms,       causal_,  dropout,    packing.segments()};
  const Tensor mixed = attend(call, backend).flatten(1);
  return {linear_branch(mixed, output_weight_, output_bias_, Epilogue::kLeaveBias).branch,
          product.x};
}

Tensor SelfAttention::step(const Tensor& x, Tensor& keys, Tensor& values, const StepRows& rows,
                           const StepTerms& terms) const {
  const Projected own = split(linear_layer(x, input_weight_, input_bias_));
  const Tensor mixed =
      attend_step({move_queries(own.queries, rows.positions, terms.scores), keys, values,
                   rows.slots, rows.counts, rows.positions, terms,
                   move_keys(own.keys, rows.positions, terms.scores), own.values, rows.new_slots});
  return linear_layer(mixed.flatten(1), output_weight_, output_bias_);
}

CrossAttention::CrossAttention(const AttentionConfig& config)
    : config_(config), vectors_(config, *this) {
  const int64_t width = config.width, queries = config.query_width();
  const int64_t outputs = 2 * config.key_width();
  query_weight_ =
      register_parameter("query_weight", projection(config, queries, width, kStackedGain));
  query_bias_ = register_parameter("query_bias", torch::zeros({queries}));
  memory_weight_ =
      register_parameter("memory_weight", projection(config, outputs, width, kStackedGain));
  memory_bias_ = register_parameter("memory_bias", torch::zeros({outputs}));
  output_weight_ = register_parameter("output_weight", projection(config, width, queries, 1.0));
  output_bias_ = register_parameter("output_bias", torch::zeros({width}));
}

CrossAttention::Memory CrossAttention::project(const Tensor& memory) const {
  const Tensor projected =
      linear_layer(memory, memory_weight_, memory_bias_)
          .view({memory.size(0), 2, config_.key_heads(), config_.head_width()});  // [M, 2, G, Dh]
  const std::vector<Tensor> parts = split_heads(projected);
  return {vectors_.keys(parts[0]), vectors_.values(parts[1])};
}

std::vector<CrossAttention::Memory> CrossAttention::project_together(
    const std::vector<const CrossAttention*>& layers, const Tensor& memory) {
  std::vector<Memory> projected;
  if (!uses_weight_copies(memory, layers.front()->memory_weight_)) {
    for (const CrossAttention* layer : layers) projected.push_back(layer->project(memory));
    return projected;
  }
  std::vector<Tensor> weights, biases;
  for (const CrossAttention* layer : layers) {
    weights.push_back(layer->memory_weight_);
    biases.push_back(layer->memory_bias_);
  }
  const AttentionConfig& config = layers.front()->config_;
  const HeadParts split = split_shared_heads(
      stacked_linear(memory, weights, biases)
          .view({memory.size(0), 2 * std::ssize(layers), config.key_heads(), config.head_width()}));
  for (size_t l = 0; l < layers.size(); ++l) {
    const HeadVectors& vectors = layers[l]->vectors_;
    const Tensor &keys = split.parts[2 * l], &values = split.parts[2 * l + 1];
    projected.push_back({vectors.keys(keys), vectors.values(values)});
    Memory& own = projected.back();
    if (!own.keys.is_same(keys) || !own.values.is_same(values)) continue;
    own.gradients = split.gradients;
    own.part = static_cast<int64_t>(2 * l);
  }
  return projected;
}

BranchAndResidual CrossAttention::forward(const Tensor& x, const Packing& packing,
                                          const Memory& memory, const Packing& memory_packing,
                                          const ScoreTerms& terms, Backend backend,
                                          const DropoutSite& dropout,
                                          ObservedAttention* observed) const {
  const BranchAndResidual product = linear_branch(x, query_weight_, query_bias_, Epilogue::kBias);
  const Tensor queries = split_queries(product.branch.rows);
  if (observed != nullptr) *observed = {observed->layer, queries, memory.keys, terms};
  AttentionCall call{queries,        memory.keys, memory.values, packing,
                     memory_packing, terms,       false,         dropout};
  call.memory_gradients = memory.gradients;
  call.key_part = memory.part;
  const Tensor mixed = attend(call, backend).flatten(1);
  return {linear_branch(mixed, output_weight_, output_bias_, Epilogue::kLeaveBias).branch,
          product.x};
}

Tensor CrossAttention::split_queries(const Tensor& product) const {
  return vectors_.queries(product.view({product.size(0), config_.heads, config_.head_width()}));
}

Tensor CrossAttention::step(const Tensor& x, const Tensor& keys, const Tensor& values,
                            const StepRows& rows, const StepTerms& terms) const {
  const Tensor mixed =
      attend_step({split_queries(linear_layer(x, query_weight_, query_bias_)), keys, values,
                   rows.source_slots, rows.source_counts, rows.sentence_positions, terms});
  return linear_layer(mixed.flatten(1), output_weight_, output_bias_);
}

}  // namespace dietmt::encoders
