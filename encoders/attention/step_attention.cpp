#include "encoders/attention/step_attention.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <limits>

#include "encoders/attention/attention.h"
#include "encoders/attention/backends.h"
#include "encoders/device/device.h"
#include "encoders/position/term_table.h"
#include "kernels/attention_tables.h"
#include "kernels/device_kernels.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;

constexpr double kHidden = -std::numeric_limits<double>::infinity();

/// The sizes of a call, and its offsets for tables of any clip.
class StepShape {
 public:
  explicit StepShape(const StepAttentionCall& call)
      : groups_(call.slots.size(0)),
        keys_(call.slots.size(1)),
        positions_(call.positions),
        columns_(at::arange(keys_, call.positions.options()).unsqueeze(0)) {}

  int64_t groups() const { return groups_; }
  int64_t keys() const { return keys_; }

  /// [G, 1, 1, S] bool.
  Tensor hidden(const Tensor& counts) const {
    return columns_.ge(counts.unsqueeze(1)).view({groups_, 1, 1, keys_});
  }

  /// The rows of positions: [H|1, L, R] -> [G, H|1, 1, R].
  Tensor at_positions(const Tensor& table) const {
    return table.index_select(1, positions_).transpose(0, 1).unsqueeze(2);
  }

  /// The rows of offsets: [H|1, 2C+1, ...] -> [G, H|1, S, ...].
  Tensor at_offsets(const Tensor& table) const {
    const int64_t clip = table.size(1) / 2;
    const Tensor offsets = (columns_ - positions_.unsqueeze(1)).clamp(-clip, clip) + clip;
    return table.index_select(1, offsets.flatten()).unflatten(1, {groups_, keys_}).transpose(0, 1);
  }

 private:
  int64_t groups_;
  int64_t keys_;
  Tensor positions_;  // [G]
  Tensor columns_;    // [1, S]
};

/// [slots, H, Dh] -> [G, H, S, Dh]
Tensor gathered(const Tensor& cache, const Tensor& slots) {
  return cache.index_select(0, slots.flatten())
      .view({slots.size(0), slots.size(1), cache.size(1), cache.size(2)})
      .transpose(1, 2);
}

Tensor scaled(const Tensor& products, const StepTerms& terms) {
  return terms.head_scales.defined() ? products * terms.head_scales
                                     : products * terms.scores.content_scale.front();
}

/// q: [G, H, K, Dh]; k: [G, H, S, Dh]. Returns [G, H, K, S] float.
Tensor step_scores(const StepAttentionCall& call, const StepShape& shape, const Tensor& q,
                   const Tensor& k, const Tensor& hidden) {
  const ScoreTerms& terms = call.terms.scores;
  const at::ScalarType type = q.scalar_type();
  const auto product = [&](const Tensor& rows) {  // [G, H|1, S, Dh] -> [G, H, K, S]
    return at::matmul(q, rows.to(type).transpose(2, 3)).to(at::kFloat);
  };
  const Tensor content = product(k);
  Tensor products = content;
  if (terms.relative_keys.defined())
    products = products + product(shape.at_offsets(terms.relative_keys));
  if (terms.relative_queries.defined()) {
    const Tensor rows = shape.at_offsets(terms.relative_queries).to(type);
    products = products + (k * rows).sum(-1, false, at::kFloat).unsqueeze(2);
  }
  Tensor scores = scaled(products, call.terms);
  if (terms.position_bias.defined())
    scores = scores + shape.at_positions(terms.position_bias).narrow(3, 0, shape.keys());
  if (terms.query_features.defined())
    scores = scores + at::matmul(shape.at_positions(terms.query_features),
                                 terms.key_features.narrow(1, 0, shape.keys()).transpose(1, 2));
  if (terms.offset_bias.defined())
    scores = scores + shape.at_offsets(terms.offset_bias).unsqueeze(2);
  if (terms.contextual.defined())
    scores = scores + contextual_bias(scaled(content, call.terms), hidden, q, terms.contextual);
  return scores;
}

Tensor attend_by_tensor_algebra(const StepAttentionCall& call) {
  if (call.new_keys.defined()) {
    Tensor(call.keys).index_copy_(0, call.new_slots, call.new_keys);
    Tensor(call.values).index_copy_(0, call.new_slots, call.new_values);
  }
  const StepShape shape(call);
  const Tensor q = call.queries.unflatten(0, {shape.groups(), -1}).transpose(1, 2);
  const Tensor k = gathered(call.keys, call.slots);
  const Tensor hidden = shape.hidden(call.counts);
  const Tensor scores = step_scores(call, shape, q, k, hidden).masked_fill(hidden, kHidden);
  const Tensor p = at::softmax(scores, -1).to(q.scalar_type());
  Tensor output = at::matmul(p, gathered(call.values, call.slots));  // [G, H, K, Dh]
  if (const Tensor& table = call.terms.scores.relative_values; table.defined())
    output = output + at::matmul(p, shape.at_offsets(table).to(q.scalar_type()));
  return output.transpose(1, 2).reshape(call.queries.sizes());
}

/// Contiguous within a token.
Tensor as_head_rows(const Tensor& x) {
  return !x.defined() || (x.stride(2) == 1 && x.stride(1) == x.size(2)) ? x : x.contiguous();
}

kernels::HeadRows head_rows(const Tensor& x) {
  if (!x.defined()) return {};
  return {x.data_ptr(), x.stride(0)};
}

kernels::AttentionTerms kernel_terms(const ScoreTerms& scores) {
  kernels::AttentionTerms terms;
  for (const kernels::AttentionTable& table : kernels::kAttentionTables) {
    const Tensor& numbers = scores.*term_of(table.table).table;
    if (!numbers.defined()) continue;
    terms.tables.*
        table.table = {numbers.data_ptr<float>(), numbers.size(0) == 1 ? 0 : numbers.stride(0)};
    if (table.size != nullptr)
      terms.*table.size = kernels::has_offsets(table.rows) ? numbers.size(1) / 2 : numbers.size(2);
  }
  return terms;
}

Tensor attend_on_device(const StepAttentionCall& call, const kernels::DeviceKernels& device) {
  const Tensor queries = as_head_rows(call.queries), new_keys = as_head_rows(call.new_keys),
               new_values = as_head_rows(call.new_values), &slots = call.slots;
  const Tensor output = at::empty(queries.sizes(), queries.options());
  const int64_t heads = queries.size(1);
  const ScoreTerms& scores = call.terms.scores;
  std::vector<float> scale(static_cast<size_t>(heads));
  for (size_t h = 0; h < scale.size(); ++h)
    scale[h] = static_cast<float>(scores.content_scale[scores.content_scale.size() > 1 ? h : 0]);
  kernels::DeviceStepAttention step;
  step.type = element_type(queries.scalar_type());
  step.groups = slots.size(0);
  step.rows_per_group = queries.size(0) / step.groups;
  step.heads = heads;
  step.head_width = queries.size(2);
  step.queries = head_rows(queries);
  step.keys = head_rows(call.keys);
  step.values = head_rows(call.values);
  step.new_keys = head_rows(new_keys);
  step.new_values = head_rows(new_values);
  step.slots = slots.const_data_ptr<int32_t>();
  step.slot_stride = slots.stride(0);
  step.counts = call.counts.const_data_ptr<int64_t>();
  step.positions = call.positions.const_data_ptr<int64_t>();
  step.terms = kernel_terms(scores);
  step.terms.content_scale = scale.data();
  if (scores.position_bias.defined()) step.bias_keys = scores.position_bias.size(2);
  step.output = head_rows(output);
  const c10::DeviceGuard guard(output.device());
  device.step_attention(step);
  return output;
}

}  // namespace

std::vector<StepTerms> step_terms(const std::vector<ScoreTerms>& layers, const Tensor& like) {
  std::vector<StepTerms> all;
  for (ScoreTerms& terms : multiply_features(layers)) {
    const std::vector<double>& scale = terms.content_scale;
    Tensor factors;
    if (!std::equal(scale.begin() + 1, scale.end(), scale.begin()))
      factors = at::tensor(scale, at::kFloat).view({-1, 1, 1}).to(like.device());
    for (const Term& term : kTerms) {
      Tensor& table = terms.*term.table;
      if (term.kernel_table != nullptr && table.defined())
        table = table.to(at::kFloat).contiguous();
    }
    all.push_back({std::move(terms), factors});
  }
  return all;
}

bool steps_by_kernel(const StepTerms& terms, const Tensor& queries) {
  const kernels::DeviceKernels* device = device_kernels(queries.device());
  if (device == nullptr || device->step_attention == nullptr) return false;
  const at::ScalarType type = queries.scalar_type();
  const bool known = type == at::kFloat || type == at::kBFloat16 || type == at::kHalf;
  return known && kernels::has_step_attention(queries.size(1), queries.size(2)) &&
         !terms.scores.contextual.defined();
}

Tensor attend_step(const StepAttentionCall& call) {
  if (!steps_by_kernel(call.terms, call.queries)) return attend_by_tensor_algebra(call);
  return attend_on_device(call, *device_kernels(call.queries.device()));
}

}  // namespace dietmt::encoders
