#include "encoders/transformer/multi_head_attention.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include "encoders/attention/head_layout.h"
#include "encoders/attention/vector_terms.h"
#include "encoders/ops/linear.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;

// Uniform with the fan of one [width, width] projection, scaled for projections that are stacked
// (Glorot and Bengio 2010; the 1/sqrt(2) for queries, keys and values follows common NMT practice).
Tensor projection(int64_t outputs, int64_t width, double gain) {
  const double bound = gain * std::sqrt(6.0 / static_cast<double>(2 * width));
  return torch::empty({outputs, width}).uniform_(-bound, bound);
}

constexpr double kStackedGain = 0.70710678118654752;

}  // namespace

SelfAttention::SelfAttention(int64_t width, int64_t heads, bool causal)
    : heads_(heads), causal_(causal) {
  input_weight_ = register_parameter("input_weight", projection(3 * width, width, kStackedGain));
  input_bias_ = register_parameter("input_bias", torch::zeros({3 * width}));
  output_weight_ = register_parameter("output_weight", projection(width, width, 1.0));
  output_bias_ = register_parameter("output_bias", torch::zeros({width}));
}

Tensor SelfAttention::forward(const Tensor& x, const Packing& packing, const ScoreTerms& terms,
                              Backend backend, const DropoutSite& dropout) const {
  const int64_t width = x.size(1);
  const Tensor projected = linear_layer(x, input_weight_, input_bias_)
                               .view({x.size(0), 3, heads_, width / heads_});  // [N, 3, H, Dh]
  const std::vector<Tensor> parts = split_heads(projected);
  const AttentionCall call{parts[0], parts[1], parts[2],  packing,     packing,
                           terms,    causal_,  dropout.p, dropout.key, packing.segments()};
  const Tensor mixed = attend(call, backend).reshape({x.size(0), width});
  return linear_layer(mixed, output_weight_, output_bias_);
}

Tensor SelfAttention::step(const Tensor& x, Tensor& keys, Tensor& values, int64_t position,
                           const ScoreTerms& terms) const {
  const int64_t rows = x.size(0);
  const int64_t width = x.size(1);
  const Tensor projected = linear_layer(x, input_weight_, input_bias_)
                               .view({rows, 3, heads_, width / heads_});  // [rows, 3, H, Dh]
  // The terms' tables have one row: that of `position`.
  const Tensor query = move_queries(projected.select(1, 0), {}, terms).unsqueeze(2);
  keys.select(2, position).copy_(move_keys(projected.select(1, 1), {}, terms));
  values.select(2, position).copy_(projected.select(1, 2));
  const Extent extent{position, 1, position + 1};
  const DenseAttentionCall call{
      query, keys.narrow(2, 0, position + 1), values.narrow(2, 0, position + 1), {}, terms, extent};
  return linear_layer(attend_dense(call).reshape({rows, width}), output_weight_, output_bias_);
}

CrossAttention::CrossAttention(int64_t width, int64_t heads) : heads_(heads) {
  query_weight_ = register_parameter("query_weight", projection(width, width, kStackedGain));
  query_bias_ = register_parameter("query_bias", torch::zeros({width}));
  memory_weight_ = register_parameter("memory_weight", projection(2 * width, width, kStackedGain));
  memory_bias_ = register_parameter("memory_bias", torch::zeros({2 * width}));
  output_weight_ = register_parameter("output_weight", projection(width, width, 1.0));
  output_bias_ = register_parameter("output_bias", torch::zeros({width}));
}

CrossAttention::Memory CrossAttention::project(const Tensor& memory) const {
  const Tensor projected =
      linear_layer(memory, memory_weight_, memory_bias_)
          .view({memory.size(0), 2, heads_, memory.size(1) / heads_});  // [M, 2, H, Dh]
  const std::vector<Tensor> parts = split_heads(projected);
  return {parts[0], parts[1]};
}

Tensor CrossAttention::forward(const Tensor& x, const Packing& packing, const Memory& memory,
                               const Packing& memory_packing, const ScoreTerms& terms,
                               Backend backend, const DropoutSite& dropout,
                               ObservedAttention* observed) const {
  const int64_t width = x.size(1);
  const Tensor queries =
      linear_layer(x, query_weight_, query_bias_).view({x.size(0), heads_, width / heads_});
  if (observed != nullptr) *observed = {observed->layer, queries, memory.keys, terms};
  const AttentionCall call{queries, memory.keys, memory.values, packing,    memory_packing,
                           terms,   false,       dropout.p,     dropout.key};
  const Tensor mixed = attend(call, backend).reshape({x.size(0), width});
  return linear_layer(mixed, output_weight_, output_bias_);
}

Tensor CrossAttention::step(const Tensor& x, const Tensor& keys, const Tensor& values,
                            const Tensor& mask, int64_t position, const ScoreTerms& terms) const {
  const int64_t sentences = keys.size(0);
  const int64_t beams = x.size(0) / sentences;
  const int64_t width = x.size(1);
  // The beams of a sentence are queries side by side; all stand at the same position.
  const Tensor queries = linear_layer(x, query_weight_, query_bias_)
                             .view({sentences, beams, heads_, width / heads_})
                             .transpose(1, 2);  // [B, H, K, Dh]
  const Extent extent{position, 1, keys.size(2)};
  const DenseAttentionCall call{queries, keys, values, mask, terms, extent};
  const Tensor mixed = attend_dense(call).transpose(1, 2).reshape({x.size(0), width});
  return linear_layer(mixed, output_weight_, output_bias_);
}

}  // namespace dietmt::encoders
