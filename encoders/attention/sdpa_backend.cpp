// Padded attention with ATen: its fused kernel if the call allows it, otherwise batched products.
#include <ATen/ATen.h>
#include <ATen/TensorIndexing.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "encoders/attention/backends.h"
#include "encoders/attention/head_layout.h"
#include "encoders/attention/offset_band.h"
#include "encoders/device/device.h"
#include "encoders/ops/fused_ops.h"

namespace dietmt::encoders {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

/// A call whose sentences are padded to one length.
struct DenseAttentionCall {
  at::Tensor queries;  // [B, H, T, Dh]
  at::Tensor keys;     // [B, H, S, Dh]
  at::Tensor values;
  at::Tensor key_mask;  // [B, S] bool, true where a key is real, or undefined
  const ScoreTerms& terms;
  Extent extent;
  bool causal = false;
  DropoutSite dropout = {};
  at::Tensor segments = {};  // [B, T] int64, only with segment_bias (self-attention)
};

/// [B, S] bool, true where a key is real; undefined if no query of a real token sees padding.
at::Tensor key_mask(const AttentionCall& call) {
  const Packing& keys = call.key_packing;
  // Padding is on the right, where causal queries do not look.
  const bool hidden = call.causal && keys.is_same(call.query_packing);
  if (keys.uniform() || hidden) return {};
  const at::Tensor mask =
      at::zeros({keys.sentences() * keys.max_length()}, call.keys.options().dtype(at::kBool));
  return mask.index_fill_(0, keys.padded_rows(), true).view({keys.sentences(), -1});
}

/// [N] -> [B, T]
at::Tensor pad_segments(const at::Tensor& segments, const Packing& packing) {
  return pad_heads(segments.view({-1, 1, 1}), packing).flatten(1);
}

/// q . table of [B, H, T, Dh] and [H|1, E, Dh] -> [B, H, T, E]
at::Tensor dot_table(const at::Tensor& q, const at::Tensor& table) {
  const at::Tensor rows = table.to(q.scalar_type());
  if (rows.size(0) == 1) return at::matmul(q, rows[0].t());
  return at::einsum("bhtd,hed->bhte", {q, rows});
}

/// p . table of [B, H, T, E] and [H|1, E, Dh] -> [B, H, T, Dh]
at::Tensor mix_table(const at::Tensor& p, const at::Tensor& table) {
  const at::Tensor rows = table.to(p.scalar_type());
  if (rows.size(0) == 1) return at::matmul(p, rows[0]);
  return at::einsum("bhte,hed->bhtd", {p, rows});
}

/// The content scale: one number if the heads agree, otherwise factors [H, 1, 1].
struct ContentScale {
  explicit ContentScale(const std::vector<double>& scale, const at::Tensor& like) {
    if (std::equal(scale.begin() + 1, scale.end(), scale.begin()))
      number = scale.front();
    else
      factors = copy_to_device(at::tensor(scale, at::kDouble).to(like.scalar_type()), like.device())
                    .view({-1, 1, 1});
  }

  /// x of [.., H|1, rows, Dh] times the scale.
  at::Tensor times(const at::Tensor& x) const {
    return factors.defined() ? x * factors : x * number;
  }

  double number = 1.0;
  at::Tensor factors;
};

void accumulate(at::Tensor& sum, const at::Tensor& term) {
  sum = sum.defined() ? sum + term : term;
}

/// The sum of all terms but the content: broadcastable to [B, H, T, S], or undefined.
at::Tensor added_terms(const DenseAttentionCall& call, const ContentScale& scale) {
  const ScoreTerms& terms = call.terms;
  at::Tensor sum;
  if (terms.position_bias.defined())
    accumulate(
        sum, terms.position_bias.narrow(1, 0, call.extent.queries).narrow(2, 0, call.extent.keys));
  if (terms.query_features.defined())
    accumulate(sum, at::matmul(terms.query_features, terms.key_features.transpose(1, 2)));
  if (terms.offset_bias.defined()) {
    const OffsetBand offsets(call.extent, terms.offset_bias.size(1));
    const at::Tensor row = offsets.band(terms.offset_bias, 1).unsqueeze(1);  // [H|1, 1, band]
    accumulate(sum, offsets.spread(row.expand({-1, call.extent.queries, -1})));
  }
  if (terms.relative_keys.defined()) {
    const OffsetBand offsets(call.extent, terms.relative_keys.size(1));
    const at::Tensor table = scale.times(offsets.band(terms.relative_keys, 1));
    accumulate(sum, offsets.spread(dot_table(call.queries, table)));
  }
  if (terms.relative_queries.defined()) {
    const OffsetBand offsets(call.extent, terms.relative_queries.size(1));
    const at::Tensor table = scale.times(offsets.band(terms.relative_queries, 1));
    accumulate(sum, offsets.spread_keys(dot_table(call.keys, table)));
  }
  if (terms.segment_bias.defined()) {
    const at::Tensor pairs = terms.segment_bias.index(
        {torch::indexing::Slice(), call.segments.unsqueeze(2), call.segments.unsqueeze(1)});
    accumulate(sum, pairs.transpose(0, 1));  // [H|1, B, T, S] -> [B, H|1, T, S]
  }
  return sum;
}

/// Minus infinity where a query must not look, 0 elsewhere: broadcastable to [B, H, T, S], or
/// undefined.
at::Tensor mask(const DenseAttentionCall& call) {
  const at::TensorOptions options = call.queries.options();
  at::Tensor sum;
  if (call.causal) {
    const at::Tensor all =
        at::full({call.extent.queries, call.extent.keys}, kMinusInfinity, options);
    accumulate(sum, all.triu(1));
  }
  if (call.key_mask.defined()) {
    const at::Tensor padding = call.key_mask.logical_not().unsqueeze(1).unsqueeze(1);  // [B,1,1,S]
    accumulate(sum, at::zeros(padding.sizes(), options).masked_fill_(padding, kMinusInfinity));
  }
  return sum;
}

at::Tensor fused_attention(const DenseAttentionCall& call, const at::Tensor& q, double scale,
                           const at::Tensor& bias) {
  const bool causal_kernel = call.causal && !bias.defined() && !call.key_mask.defined();
  at::Tensor added = bias;
  if (const at::Tensor hidden = mask(call); hidden.defined() && !causal_kernel)
    accumulate(added, hidden);
  std::optional<at::Tensor> attention_mask;
  if (added.defined()) {
    while (added.dim() < 4) added = added.unsqueeze(0);
    attention_mask = added.to(q.scalar_type());
  }
  return at::scaled_dot_product_attention(q, call.keys, call.values, attention_mask, 0.0,
                                          causal_kernel, scale);
}

/// For calls with gradients of terms, dropout or relative values.
at::Tensor explicit_attention(const DenseAttentionCall& call, const at::Tensor& q, double scale,
                              const at::Tensor& bias) {
  at::Tensor scores = at::matmul(q * scale, call.keys.transpose(2, 3));  // [B, H, T, S]
  const at::Tensor hidden = mask(call);
  const at::Tensor content = scores;
  if (bias.defined()) scores = scores + bias;
  if (call.terms.contextual.defined()) {
    const at::Tensor masked = hidden.defined() ? hidden.isinf() : hidden;
    scores = scores + contextual_bias(content, masked, call.queries, call.terms.contextual);
  }
  if (hidden.defined()) scores.add_(hidden);

  at::Tensor p = at::softmax(scores, -1);
  if (call.dropout.p > 0) p = p * probability_dropout_mask(p.sizes(), p, call.dropout);

  p = p.to(q.scalar_type());
  at::Tensor output = at::matmul(p, call.values);  // [B, H, T, Dh]
  if (call.terms.relative_values.defined()) {
    const OffsetBand offsets(call.extent, call.terms.relative_values.size(1));
    output = output + mix_table(offsets.gather(p), offsets.band(call.terms.relative_values, 1));
  }
  return output;
}

/// ATen's fused kernel saves memory traffic, which matters little in short sentences: with
/// gradients, batched products took 0.83 of its time at 20 x 20 scores per head and 1.1 at 32 x 32.
constexpr int64_t kFewScores = 24 * 24;

/// ATen's masks have no gradient, and it has neither keyed dropout nor relative values.
bool fits_fused_kernel(const DenseAttentionCall& call, const at::Tensor& bias) {
  if (call.dropout.p > 0 || call.terms.relative_values.defined()) return false;
  if (call.terms.contextual.defined()) return false;
  if (bias.defined() && bias.requires_grad()) return false;
  const bool trains = at::GradMode::is_enabled() && call.queries.requires_grad();
  const bool few = call.queries.size(2) * call.keys.size(2) <= kFewScores;
  return !(trains && few && call.queries.is_cpu());
}

/// [B, H, T, Dh]
at::Tensor attend_dense(const DenseAttentionCall& call) {
  const ContentScale scale(call.terms.content_scale, call.queries);
  const at::Tensor q = scale.factors.defined() ? scale.times(call.queries) : call.queries;
  const at::Tensor bias = added_terms(call, scale);
  return fits_fused_kernel(call, bias) ? fused_attention(call, q, scale.number, bias)
                                       : explicit_attention(call, q, scale.number, bias);
}

}  // namespace

at::Tensor attend_sdpa(const AttentionCall& call) {
  const at::Tensor q = pad_heads(call.queries, call.query_packing);  // [B, H, T, Dh]
  const at::Tensor k = pad_heads(call.keys, call.key_packing);
  const at::Tensor v = pad_heads(call.values, call.key_packing);
  DenseAttentionCall dense{.queries = q,
                           .keys = k,
                           .values = v,
                           .key_mask = key_mask(call),
                           .terms = call.terms,
                           .extent = {q.size(2), k.size(2)},
                           .causal = call.causal,
                           .dropout = call.dropout};
  if (call.segments.defined()) dense.segments = pad_segments(call.segments, call.query_packing);
  return unpad_heads(attend_dense(dense), call.query_packing);
}

}  // namespace dietmt::encoders
