// Multi-head attention (Vaswani et al. 2017, section 3.2.2): the projections around attend().
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "encoders/attention/attention.h"
#include "encoders/attention/observed_attention.h"
#include "encoders/attention/step_attention.h"
#include "encoders/ops/branch.h"
#include "encoders/ops/dropout_keys.h"
#include "encoders/transformer/norm.h"
#include "encoders/transformer/step_rows.h"

namespace dietmt::encoders {

struct AttentionConfig {
  int64_t width = 0;     // D
  int64_t heads = 0;     // H
  int64_t kv_heads = 0;  // G, of keys and values (Ainslie et al. 2023); 0: H. Divides H
  bool qk_norm = false;  // RMS norm of queries and keys, of one vector [Dh] each for all heads
  double norm_epsilon = 1e-5;
  int64_t own_head_width = 0;  // Dh; 0: D / H

  int64_t head_width() const { return own_head_width > 0 ? own_head_width : width / heads; }
  int64_t query_width() const { return heads * head_width(); }  // H * Dh
  int64_t key_heads() const { return kv_heads > 0 ? kv_heads : heads; }
  int64_t key_width() const { return key_heads() * head_width(); }  // G * Dh
};

/// Norms of queries and keys before they get positions (Henry et al. 2020; in this form Dehghani et
/// al. 2023), and the sharing of keys and values by groups of heads.
class HeadVectors {
 public:
  HeadVectors() = default;
  /// Registers the norms in `owner`, if there are any.
  HeadVectors(const AttentionConfig& config, torch::nn::Module& owner);

  /// x: [N, H, Dh]. Returns [N, H, Dh].
  at::Tensor queries(const at::Tensor& x) const {
    return query_norm_ ? query_norm_->forward(x) : x;
  }
  /// x: [N, G, Dh]. Returns [N, H, Dh].
  at::Tensor keys(const at::Tensor& x) const {
    return values(key_norm_ ? key_norm_->forward(x) : x);
  }
  at::Tensor values(const at::Tensor& x) const;

 private:
  int64_t group_ = 1;  // H / G
  std::shared_ptr<Norm> query_norm_;
  std::shared_ptr<Norm> key_norm_;
};

/// Queries, keys and values from the same sequence; one fused projection.
class SelfAttention : public torch::nn::Module {
 public:
  SelfAttention(const AttentionConfig& config, bool causal);

  /// x: [N, D]. Returns a branch of [N, D].
  BranchAndResidual forward(const at::Tensor& x, const Packing& packing, const ScoreTerms& terms,
                            Backend backend, const DropoutSite& dropout) const;

  /// One step of cached decoding. x: [rows, D]; keys, values: [slots, H, Dh]; writes the new
  /// slots of the rows.
  at::Tensor step(const at::Tensor& x, at::Tensor& keys, at::Tensor& values, const StepRows& rows,
                  const StepTerms& terms) const;

 private:
  struct Projected {
    at::Tensor queries, keys, values;  // [N, H, Dh] each
  };
  /// Splits the product of x with the input weight.
  Projected split(const at::Tensor& product) const;

  AttentionConfig config_;
  bool causal_;
  HeadVectors vectors_;
  at::Tensor input_weight_;   // [(H + 2 G) Dh, D]: queries, keys, values
  at::Tensor input_bias_;     // [(H + 2 G) Dh]
  at::Tensor output_weight_;  // [D, H Dh]
  at::Tensor output_bias_;    // [D]
};

/// Queries from the target, keys and values from the memory.
class CrossAttention : public torch::nn::Module {
 public:
  explicit CrossAttention(const AttentionConfig& config);

  struct Memory {
    at::Tensor keys;                                // [M, H, Dh]
    at::Tensor values;                              // [M, H, Dh]
    std::shared_ptr<PartGradients> gradients = {};  // as in AttentionCall
    int64_t part = 0;
  };
  /// memory: [M, D].
  Memory project(const at::Tensor& memory) const;

  /// project() of several layers. On a device it is one product with all their weights.
  static std::vector<Memory> project_together(const std::vector<const CrossAttention*>& layers,
                                              const at::Tensor& memory);

  /// x: [N, D]. Returns a branch of [N, D]. Fills `observed` unless it is null.
  BranchAndResidual forward(const at::Tensor& x, const Packing& packing, const Memory& memory,
                            const Packing& memory_packing, const ScoreTerms& terms, Backend backend,
                            const DropoutSite& dropout,
                            ObservedAttention* observed = nullptr) const;

  /// One step of cached decoding. x: [B * K, D]; keys, values: [slots, H, Dh].
  at::Tensor step(const at::Tensor& x, const at::Tensor& keys, const at::Tensor& values,
                  const StepRows& rows, const StepTerms& terms) const;

 private:
  at::Tensor split_queries(const at::Tensor& product) const;  // [N, H, Dh]

  AttentionConfig config_;
  HeadVectors vectors_;
  at::Tensor query_weight_;   // [H Dh, D]
  at::Tensor query_bias_;     // [H Dh]
  at::Tensor memory_weight_;  // [2 G Dh, D]: keys, values
  at::Tensor memory_bias_;    // [2 G Dh]
  at::Tensor output_weight_;  // [D, H Dh]
  at::Tensor output_bias_;    // [D]
};

}  // namespace dietmt::encoders
