#include "encoders/transformer/layers.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include "encoders/ops/fused_ops.h"
#include "encoders/ops/linear.h"

namespace dietmt::encoders {

using at::Tensor;

namespace {

AttentionConfig attention_config(const StackConfig& config) {
  return {config.width,   config.heads,        config.kv_heads,
          config.qk_norm, config.norm_epsilon, config.own_head_width};
}

}  // namespace

DropoutSite dropout_site(double p, DropoutKeys* keys) {
  if (keys == nullptr || p == 0.0) return {};
  return keys->next(p);
}

std::shared_ptr<Norm> make_norm(const StackConfig& config) {
  return std::make_shared<Norm>(config.width, config.norm_epsilon, config.norm_type);
}

Residual::Residual(const StackConfig& config) : placement_(config.norm), dropout_(config.dropout) {
  norm_ = register_module("norm", make_norm(config));
}

Tensor Residual::input(const Tensor& x) const {
  return placement_ == NormPlacement::kPre ? norm_->forward(x) : x;
}

Tensor Residual::output(const Tensor& x, const BranchAndResidual& block, DropoutKeys* keys) const {
  const DropoutSite site = dropout_site(dropout_, keys);
  if (placement_ == NormPlacement::kPre) return dropout_add(x, block.branch, site);
  // x is the block's input.
  return add_norm(block.x, block.branch, norm_->weight, norm_->bias, site, norm_->epsilon());
}

FeedForward::FeedForward(const StackConfig& config)
    : activation_(config.activation), dropout_(config.activation_dropout) {
  const int64_t inner = config.feed_forward;
  Tensor inner_weight = glorot(inner, config.width);
  if (is_gated(activation_)) inner_weight = torch::cat({inner_weight, glorot(inner, config.width)});
  inner_weight_ = register_parameter("inner_weight", inner_weight);
  inner_bias_ = register_parameter("inner_bias", torch::zeros({inner_weight.size(0)}));
  outer_weight_ = register_parameter("outer_weight", glorot(config.width, inner));
  outer_bias_ = register_parameter("outer_bias", torch::zeros({config.width}));
}

BranchAndResidual FeedForward::forward(const Tensor& x, DropoutKeys* keys) const {
  const DropoutSite site = dropout_site(dropout_, keys);
  if (activation_ == Activation::kRelu && site.p == 0.0)
    return relu_network(x, {inner_weight_, inner_bias_}, {outer_weight_, outer_bias_});
  const BranchAndResidual inner =
      linear_branch(x, inner_weight_, inner_bias_, Epilogue::kLeaveBias);
  const Tensor hidden = activate(inner.branch, activation_, site);  // [N, F]
  return {linear_branch(hidden, outer_weight_, outer_bias_, Epilogue::kLeaveBias).branch, inner.x};
}

namespace {

std::shared_ptr<Adapter> make_adapter(const StackConfig& config) {
  return std::make_shared<Adapter>(config.adapter, make_norm(config));
}

Tensor adapted(const std::shared_ptr<Adapter>& adapter, const Tensor& x) {
  return adapter ? adapter->forward(x) : x;
}

}  // namespace

EncoderLayer::EncoderLayer(const StackConfig& config, bool causal)
    : attention_dropout_(config.attention_dropout) {
  attention_ = register_module("self_attention",
                               std::make_shared<SelfAttention>(attention_config(config), causal));
  attention_residual_ = register_module("self_residual", std::make_shared<Residual>(config));
  feed_forward_ = register_module("feed_forward", std::make_shared<FeedForward>(config));
  feed_forward_residual_ =
      register_module("feed_forward_residual", std::make_shared<Residual>(config));
  if (config.adapter > 0) adapter_ = register_module("adapter", make_adapter(config));
}

Tensor EncoderLayer::forward(const Tensor& x, const Packing& packing, const ScoreTerms& terms,
                             Backend backend, DropoutKeys* keys) const {
  const BranchAndResidual attended =
      attention_->forward(attention_residual_->input(x), packing, terms, backend,
                          dropout_site(attention_dropout_, keys));
  const Tensor mixed = attention_residual_->output(x, attended, keys);
  const BranchAndResidual fed = feed_forward_->forward(feed_forward_residual_->input(mixed), keys);
  return adapted(adapter_, feed_forward_residual_->output(mixed, fed, keys));
}

DecoderLayer::DecoderLayer(const StackConfig& config)
    : attention_dropout_(config.attention_dropout) {
  if (config.recurrent) {
    recurrence_ = register_module("recurrence", std::make_shared<Recurrence>(config.width));
  } else {
    self_attention_ = register_module(
        "self_attention", std::make_shared<SelfAttention>(attention_config(config), true));
  }
  self_residual_ = register_module("self_residual", std::make_shared<Residual>(config));
  cross_attention_ = register_module("cross_attention",
                                     std::make_shared<CrossAttention>(attention_config(config)));
  cross_residual_ = register_module("cross_residual", std::make_shared<Residual>(config));
  feed_forward_ = register_module("feed_forward", std::make_shared<FeedForward>(config));
  feed_forward_residual_ =
      register_module("feed_forward_residual", std::make_shared<Residual>(config));
  if (config.adapter > 0) adapter_ = register_module("adapter", make_adapter(config));
}

Tensor DecoderLayer::forward(const Tensor& x, const Packing& packing, const ScoreTerms& terms,
                             const CrossAttention::Memory& memory, const Packing& memory_packing,
                             const ScoreTerms& cross_terms, Backend backend, DropoutKeys* keys,
                             ObservedAttention* observed) const {
  const Tensor given = self_residual_->input(x);
  const BranchAndResidual attended =
      recurrence_ ? BranchAndResidual{recurrence_->forward(given, packing), given}
                  : self_attention_->forward(given, packing, terms, backend,
                                             dropout_site(attention_dropout_, keys));
  const Tensor mixed = self_residual_->output(x, attended, keys);
  const BranchAndResidual crossed = cross_attention_->forward(
      cross_residual_->input(mixed), packing, memory, memory_packing, cross_terms, backend,
      dropout_site(attention_dropout_, keys), observed);
  const Tensor informed = cross_residual_->output(mixed, crossed, keys);
  const BranchAndResidual fed =
      feed_forward_->forward(feed_forward_residual_->input(informed), keys);
  return adapted(adapter_, feed_forward_residual_->output(informed, fed, keys));
}

Tensor DecoderLayer::step(const Tensor& x, StepCache& cache, const StepRows& rows,
                          const StepTerms& terms, const StepTerms& cross_terms) const {
  const Tensor given = self_residual_->input(x);
  const Tensor attended =
      recurrence_ ? recurrence_->step(given, cache.self_keys, rows)
                  : self_attention_->step(given, cache.self_keys, cache.self_values, rows, terms);
  const Tensor mixed = self_residual_->output(x, {attended, x}, nullptr);
  const Tensor crossed = cross_attention_->step(cross_residual_->input(mixed), cache.cross_keys,
                                                cache.cross_values, rows, cross_terms);
  const Tensor informed = cross_residual_->output(mixed, {crossed, mixed}, nullptr);
  const BranchAndResidual fed =
      feed_forward_->forward(feed_forward_residual_->input(informed), nullptr);
  return adapted(adapter_, feed_forward_residual_->output(informed, fed, nullptr));
}

}  // namespace dietmt::encoders
