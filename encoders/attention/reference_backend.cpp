// The definition: the formula of encoders/position/score_terms.h, sentence by sentence, with every
// intermediate tensor written out.
#include <ATen/ATen.h>
#include <ATen/TensorIndexing.h>

#include <cmath>

#include "encoders/attention/backends.h"
#include "encoders/device/device.h"
#include "encoders/ops/deterministic_sums.h"
#include "encoders/ops/fused_ops.h"

namespace dietmt::encoders {
namespace {

using torch::indexing::None;
using torch::indexing::Slice;

/// clip(j - i, -C, C) + C for a table of 2C + 1 entries. [T, S]
at::Tensor offset_index(int64_t queries, int64_t keys, int64_t entries, at::Device device) {
  const int64_t clip = (entries - 1) / 2;
  const at::Tensor i = at::arange(queries, device).unsqueeze(1);
  const at::Tensor j = at::arange(keys, device).unsqueeze(0);
  return (j - i).clamp(-clip, clip) + clip;
}

at::Tensor content_scale(const std::vector<double>& scale, const at::Tensor& like) {
  return copy_to_device(at::tensor(scale, at::kDouble).to(like.scalar_type()), like.device())
      .view({-1, 1, 1});  // [H|1, 1, 1]
}

/// True where key j > query i. [T, S]
at::Tensor later_keys(const at::Tensor& q, const at::Tensor& k) {
  return at::ones({q.size(1), k.size(1)}, q.options().dtype(at::kBool)).triu(1);
}

}  // namespace

at::Tensor contextual_bias(const at::Tensor& content, const at::Tensor& hidden, const at::Tensor& q,
                           const at::Tensor& table) {
  at::Tensor gates = content.sigmoid();
  if (hidden.defined()) gates = gates.masked_fill(hidden, 0.0);
  const double last = static_cast<double>(table.size(1) - 1);
  const at::Tensor places = gates.flip(-1).cumsum(-1).flip(-1).clamp_max(last);
  const at::Tensor below = places.detach().floor();
  const at::Tensor above = places.detach().ceil();
  const at::Tensor products = at::matmul(q, table.to(q.scalar_type()).transpose(1, 2));
  const auto at_place = [&](const at::Tensor& place) {
    return gathered_columns(products.to(content.scalar_type()), place.to(at::kLong));
  };
  const at::Tensor share = places - below;
  return at_place(above) * share + at_place(below) * (1.0 - share);
}

at::Tensor sentence_scores(const Sentence& s, const ScoreTerms& terms) {
  const at::Tensor& q = s.q;
  const at::Tensor& k = s.k;
  const int64_t queries = q.size(1);
  const int64_t keys = k.size(1);
  const auto by_offset = [&](const at::Tensor& table) {  // [H|1, 2C+1, ...] -> [H|1, T, S, ...]
    return table.index({Slice(), offset_index(queries, keys, table.size(1), table.device())});
  };

  const at::Tensor content = at::matmul(q, k.transpose(1, 2));
  at::Tensor products = content;
  if (terms.relative_keys.defined())
    products = products + (q.unsqueeze(2) * by_offset(terms.relative_keys)).sum(-1);
  if (terms.relative_queries.defined())
    products = products + (k.unsqueeze(1) * by_offset(terms.relative_queries)).sum(-1);

  at::Tensor scores = content_scale(terms.content_scale, q) * products;
  if (terms.position_bias.defined())
    scores = scores + terms.position_bias.index({Slice(), Slice(0, queries), Slice(0, keys)});
  if (terms.query_features.defined())
    scores = scores + at::matmul(terms.query_features.slice(1, 0, queries),
                                 terms.key_features.slice(1, 0, keys).transpose(1, 2));
  if (terms.offset_bias.defined()) scores = scores + by_offset(terms.offset_bias);
  if (terms.segment_bias.defined())
    scores = scores + terms.segment_bias.index({Slice(), s.segments.index({Slice(), None}),
                                                s.segments.index({None, Slice()})});
  if (terms.contextual.defined()) {
    const at::Tensor hidden = s.causal ? later_keys(q, k) : at::Tensor();
    scores = scores + contextual_bias(content_scale(terms.content_scale, q) * content, hidden, q,
                                      terms.contextual);
  }
  return scores;
}

at::Tensor sentence_probabilities(const Sentence& s, const ScoreTerms& terms) {
  at::Tensor masked = sentence_scores(s, terms);
  if (s.causal) masked = masked.masked_fill(later_keys(s.q, s.k), -INFINITY);
  return at::softmax(masked, -1);
}

namespace {

/// [H, T, Dh]
at::Tensor attend_sentence(const Sentence& s, const AttentionCall& call) {
  at::Tensor p = sentence_probabilities(s, call.terms);
  const int64_t queries = p.size(1);
  const int64_t keys = p.size(2);
  if (s.dropout_factors.defined()) p = p * s.dropout_factors;

  // Terms in fp32 make the scores fp32, whatever the type of queries and keys.
  at::Tensor output = at::matmul(p.to(s.v.scalar_type()), s.v);
  if (call.terms.relative_values.defined()) {
    const at::Tensor& table = call.terms.relative_values;
    const at::Tensor values =
        table.index({Slice(), offset_index(queries, keys, table.size(1), table.device())});
    output = output + (p.unsqueeze(-1) * values).sum(2);
  }
  return output.to(s.v.scalar_type());
}

}  // namespace

at::Tensor attend_reference(const AttentionCall& call) {
  const Packing& queries = call.query_packing;
  const Packing& keys = call.key_packing;
  at::Tensor factors;  // [B, H, T, S]
  if (call.dropout.p > 0)
    factors = probability_dropout_mask(
        {queries.sentences(), call.queries.size(1), queries.max_length(), keys.max_length()},
        call.queries, call.dropout);

  std::vector<at::Tensor> outputs;
  for (int64_t b = 0; b < queries.sentences(); ++b) {
    const auto q_tokens = Slice(queries.offsets()[b], queries.offsets()[b + 1]);
    const auto k_tokens = Slice(keys.offsets()[b], keys.offsets()[b + 1]);
    Sentence sentence;
    sentence.causal = call.causal;
    sentence.q = call.queries.index({q_tokens}).transpose(0, 1);
    sentence.k = call.keys.index({k_tokens}).transpose(0, 1);
    sentence.v = call.values.index({k_tokens}).transpose(0, 1);
    if (call.segments.defined()) sentence.segments = call.segments.index({q_tokens});
    if (factors.defined())
      sentence.dropout_factors =
          factors.index({b, Slice(), Slice(0, queries.lengths()[b]), Slice(0, keys.lengths()[b])});
    outputs.push_back(attend_sentence(sentence, call).transpose(0, 1));
  }
  return outputs.empty() ? at::empty_like(call.queries) : at::cat(outputs);
}

}  // namespace dietmt::encoders
