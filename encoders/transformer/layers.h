// The layers of a Transformer (Vaswani et al. 2017): attention and feed-forward blocks, each inside
// a residual connection with a norm after it (post-norm) or before it (pre-norm).
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "encoders/ops/branch.h"
#include "encoders/ops/dropout_keys.h"
#include "encoders/ops/fused_ops.h"
#include "encoders/transformer/adapter.h"
#include "encoders/transformer/multi_head_attention.h"
#include "encoders/transformer/norm.h"
#include "encoders/transformer/recurrence.h"
#include "kernels/rowwise.h"

namespace dietmt::encoders {

enum class NormPlacement { kPost, kPre };  // Vaswani et al. 2017; Xiong et al. 2020

/// Sizes and choices of one stack of layers.
struct StackConfig {
  int64_t layers = 6;   // L
  int64_t width = 512;  // D
  int64_t feed_forward = 2048;
  int64_t heads = 8;           // H
  int64_t kv_heads = 0;        // G, of keys and values; 0: H
  int64_t own_head_width = 0;  // Dh; 0: D / H
  int64_t adapter = 0;         // bottleneck of the Adapter after each layer; 0: none
  int64_t max_positions = 1024;
  int64_t segments = 0;              // kinds of segments of the input; 0: it has none
  bool starts_with_summary = false;  // the first token summarises the sentence, like BERT's [CLS]
  NormPlacement norm = NormPlacement::kPost;
  NormType norm_type = NormType::kLayer;
  double norm_epsilon = kernels::kLayerNormEpsilon;
  bool embedding_norm = false;                // after the positions, before the first dropout
  bool qk_norm = false;                       // of each head's queries and keys
  std::optional<double> embedding_deviation;  // of initial learned positions; none: 1/sqrt(D)
  Activation activation = Activation::kRelu;
  std::string position = "sinusoidal";
  std::string cross_position = "none";  // only in decoder stacks
  bool recurrent = false;  // decoder layers have a Recurrence instead of self-attention
  double dropout = 0.1;
  double attention_dropout = 0.0;
  double activation_dropout = 0.0;
  double embedding_dropout = 0.1;

  int64_t head_width() const { return own_head_width > 0 ? own_head_width : width / heads; }
};

/// A dropout site of probability `p`; none where `keys` is nullptr.
DropoutSite dropout_site(double p, DropoutKeys* keys);

/// A norm of the stack's type over the width of the model.
std::shared_ptr<Norm> make_norm(const StackConfig& config);

/// The residual connection around a block f: post-norm norm(x + dropout(f(x))), pre-norm
/// x + dropout(f(norm(x))).
class Residual : public torch::nn::Module {
 public:
  explicit Residual(const StackConfig& config);

  /// The block's input.
  at::Tensor input(const at::Tensor& x) const;
  /// Joins x with the block's output.
  at::Tensor output(const at::Tensor& x, const BranchAndResidual& block, DropoutKeys* keys) const;

 private:
  NormPlacement placement_;
  double dropout_;
  std::shared_ptr<Norm> norm_;
};

/// activation(x W1 + b1) W2 + b2; gated (Shazeer 2020): (activation(x Wg) * x W1) W2.
class FeedForward : public torch::nn::Module {
 public:
  explicit FeedForward(const StackConfig& config);
  BranchAndResidual forward(const at::Tensor& x, DropoutKeys* keys) const;

 private:
  Activation activation_;
  double dropout_;
  at::Tensor inner_weight_;  // [F, D], gated [2F, D]: gate, then value
  at::Tensor inner_bias_;
  at::Tensor outer_weight_;  // [D, F]
  at::Tensor outer_bias_;    // [D]
};

class EncoderLayer : public torch::nn::Module {
 public:
  EncoderLayer(const StackConfig& config, bool causal);
  at::Tensor forward(const at::Tensor& x, const Packing& packing, const ScoreTerms& terms,
                     Backend backend, DropoutKeys* keys) const;

 private:
  double attention_dropout_;
  std::shared_ptr<SelfAttention> attention_;
  std::shared_ptr<Residual> attention_residual_;
  std::shared_ptr<FeedForward> feed_forward_;
  std::shared_ptr<Residual> feed_forward_residual_;
  std::shared_ptr<Adapter> adapter_;  // null: none
};

class DecoderLayer : public torch::nn::Module {
 public:
  explicit DecoderLayer(const StackConfig& config);

  at::Tensor forward(const at::Tensor& x, const Packing& packing, const ScoreTerms& terms,
                     const CrossAttention::Memory& memory, const Packing& memory_packing,
                     const ScoreTerms& cross_terms, Backend backend, DropoutKeys* keys,
                     ObservedAttention* observed = nullptr) const;

  const CrossAttention& cross_attention() const { return *cross_attention_; }

  /// What cached decoding keeps of this layer.
  struct StepCache {
    at::Tensor self_keys;     // [slots, H, Dh]; states [slots, D] if recurrent
    at::Tensor self_values;   // [slots, H, Dh]; undefined if recurrent
    at::Tensor cross_keys;    // [source slots, H, Dh]
    at::Tensor cross_values;  // [source slots, H, Dh]
  };
  at::Tensor step(const at::Tensor& x, StepCache& cache, const StepRows& rows,
                  const StepTerms& terms, const StepTerms& cross_terms) const;

 private:
  double attention_dropout_;
  std::shared_ptr<SelfAttention> self_attention_;  // null if the layer is recurrent
  std::shared_ptr<Recurrence> recurrence_;         // null if it is not
  std::shared_ptr<Residual> self_residual_;
  std::shared_ptr<CrossAttention> cross_attention_;
  std::shared_ptr<Residual> cross_residual_;
  std::shared_ptr<FeedForward> feed_forward_;
  std::shared_ptr<Residual> feed_forward_residual_;
  std::shared_ptr<Adapter> adapter_;  // null: none
};

}  // namespace dietmt::encoders
