#include "tests/encoders/position/encoding_run.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include "encoders/attention/vector_terms.h"

namespace dietmt::encoders {

EncodingContext context(AttentionSite site) {
  return {.site = site,
          .layers = kRunLayers,
          .heads = kRunHeads,
          .head_width = kRunHeadWidth,
          .model_width = kRunWidth,
          .max_positions = kRunMaxPositions,
          .segments = kRunSegmentKinds,
          .starts_with_summary = true};
}

std::shared_ptr<PositionScheme> make_scheme(const std::string& spec, AttentionSite site) {
  at::manual_seed(7);
  auto scheme = std::make_shared<PositionScheme>(spec, context(site));
  scheme->to(at::kDouble);
  const torch::NoGradGuard no_grad;
  for (const at::Tensor& parameter : scheme->parameters()) parameter.normal_(0.0, 0.7);
  return scheme;
}

Inputs make_inputs(int64_t queries, int64_t keys) {
  at::manual_seed(11);
  const auto random = [](int64_t rows) {
    return at::randn({rows, kRunHeads, kRunHeadWidth}, at::kDouble).requires_grad_(true);
  };
  return {random(queries), random(keys), random(keys)};
}

at::Tensor segments_of(const Packing& packing) {
  std::vector<int64_t> segments;
  for (const int64_t length : packing.lengths())
    for (int64_t i = 0; i < length; ++i) segments.push_back(2 * i >= length ? 1 : 0);
  return at::tensor(segments, at::kLong);
}

at::Tensor attend_with(const PositionScheme& scheme, const Inputs& inputs, const Packing& queries,
                       const Packing& keys, const Setting& setting) {
  const auto embed = [&](const at::Tensor& x, const Packing& packing) {
    return scheme.embed(x.flatten(1), packing.positions(), segments_of(packing)).view_as(x);
  };
  const ScoreTerms terms = scheme.lower({queries.max_length(), keys.max_length()}, inputs.q).at(1);
  return attend({.queries = embed(inputs.q, queries),
                 .keys = embed(inputs.k, keys),
                 .values = inputs.v,
                 .query_packing = queries,
                 .key_packing = keys,
                 .terms = terms,
                 .causal = setting.causal,
                 .dropout = DropoutKeys(setting.pass_key).next(setting.dropout),
                 .segments = terms.segment_bias.defined() ? segments_of(queries) : at::Tensor()},
                setting.backend);
}

at::Tensor decoded(const StepTerms& terms, const at::Tensor& q, const at::Tensor& k,
                   const at::Tensor& v) {
  const int64_t sentences = q.size(0), length = q.size(1);
  at::Tensor keys = at::zeros_like(k.flatten(0, 1)), values = at::zeros_like(keys);
  const at::Tensor slots = at::arange(sentences * length, at::kInt).view({sentences, length});
  std::vector<at::Tensor> rows;
  for (int64_t t = 0; t < length; ++t) {
    const at::Tensor positions = at::full({sentences}, t, at::kLong);
    rows.push_back(attend_step({.queries = move_queries(q.select(1, t), positions, terms.scores),
                                .keys = keys,
                                .values = values,
                                .slots = slots,
                                .counts = positions + 1,
                                .positions = positions,
                                .terms = terms,
                                .new_keys = move_keys(k.select(1, t), positions, terms.scores),
                                .new_values = v.select(1, t),
                                .new_slots = slots.select(1, t).to(at::kLong)}));
  }
  return at::stack(rows, 1);
}

at::Tensor loss(const at::Tensor& output) {
  const at::Tensor weights = at::arange(output.numel(), at::kDouble).sin().view_as(output);
  return (output * weights).sum();
}

double largest_gap(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

std::vector<at::Tensor> output_and_gradients(const PositionScheme& scheme, const Inputs& inputs,
                                             const Packing& queries, const Packing& keys,
                                             const Setting& setting) {
  const at::Tensor output = attend_with(scheme, inputs, queries, keys, setting);
  std::vector<at::Tensor> variables = inputs.all();
  for (const at::Tensor& parameter : scheme.parameters()) variables.push_back(parameter);
  std::vector<at::Tensor> results =
      torch::autograd::grad({loss(output)}, variables, {}, {}, false, /*allow_unused=*/true);
  for (size_t i = 0; i < results.size(); ++i)
    if (!results[i].defined()) results[i] = at::zeros_like(variables[i]);
  results.push_back(output);
  return results;
}

}  // namespace dietmt::encoders
