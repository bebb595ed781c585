// Multi-head attention (Vaswani et al. 2017, section 3.2.2): the projections around attend().
#pragma once

#include <torch/nn/module.h>

#include <cstdint>

#include "encoders/attention/attention.h"
#include "encoders/attention/observed_attention.h"
#include "encoders/ops/dropout_keys.h"

namespace dietmt::encoders {

/// Queries, keys and values from the same sequence; one fused projection.
class SelfAttention : public torch::nn::Module {
 public:
  SelfAttention(int64_t width, int64_t heads, bool causal);

  /// x: [N, D]. Returns [N, D].
  at::Tensor forward(const at::Tensor& x, const Packing& packing, const ScoreTerms& terms,
                     Backend backend, const DropoutSite& dropout) const;

  /// Step `position` of cached decoding. x: [rows, D]; keys, values: [rows, H, capacity, Dh], of
  /// which the first `position` entries are filled and entry `position` is written.
  at::Tensor step(const at::Tensor& x, at::Tensor& keys, at::Tensor& values, int64_t position,
                  const ScoreTerms& terms) const;

 private:
  int64_t heads_;
  bool causal_;
  at::Tensor input_weight_;   // [3D, D]: queries, keys, values
  at::Tensor input_bias_;     // [3D]
  at::Tensor output_weight_;  // [D, D]
  at::Tensor output_bias_;    // [D]
};

/// Queries from the target, keys and values from the memory.
class CrossAttention : public torch::nn::Module {
 public:
  CrossAttention(int64_t width, int64_t heads);

  struct Memory {
    at::Tensor keys;    // [M, H, Dh]
    at::Tensor values;  // [M, H, Dh]
  };
  /// memory: [M, D].
  Memory project(const at::Tensor& memory) const;

  /// x: [N, D]. Returns [N, D]. Fills `observed` unless it is null.
  at::Tensor forward(const at::Tensor& x, const Packing& packing, const Memory& memory,
                     const Packing& memory_packing, const ScoreTerms& terms, Backend backend,
                     const DropoutSite& dropout, ObservedAttention* observed = nullptr) const;

  /// One step of cached decoding at `position`. x: [B * K, D]; keys, values: [B, H, S, Dh];
  /// mask: [B, S] bool or undefined.
  at::Tensor step(const at::Tensor& x, const at::Tensor& keys, const at::Tensor& values,
                  const at::Tensor& mask, int64_t position, const ScoreTerms& terms) const;

 private:
  int64_t heads_;
  at::Tensor query_weight_;   // [D, D]
  at::Tensor query_bias_;     // [D]
  at::Tensor memory_weight_;  // [2D, D]: keys, values
  at::Tensor memory_bias_;    // [2D]
  at::Tensor output_weight_;  // [D, D]
  at::Tensor output_bias_;    // [D]
};

}  // namespace dietmt::encoders
