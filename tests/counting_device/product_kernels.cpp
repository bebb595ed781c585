// Linear layers with LibTorch, and attention with the CPU kernels.
#include <ATen/ATen.h>
#include <ATen/core/LegacyTypeDispatch.h>

#include <algorithm>

#include "kernels/attention_tables.h"
#include "tests/counting_device/elements.h"
#include "tests/counting_device/fused_kernels.h"
#include "tests/counting_device/launch_log.h"

namespace dietmt::counting {
namespace {

using at::Tensor;
using kernels::ElementType;

at::ScalarType scalar_type(ElementType type) {
  if (type == ElementType::kFloat) return at::kFloat;
  return type == ElementType::kHalf ? at::kHalf : at::kBFloat16;
}

/// A CPU tensor over the mirror; undefined for null.
Tensor matrix(const void* array, ElementType type, at::IntArrayRef sizes, const char* name) {
  if (array == nullptr) return {};
  return at::from_blob(mirror_array(const_cast<void*>(array), name), sizes, scalar_type(type));
}

void store(const Tensor& to, const Tensor& value, bool adds) {
  if (adds)
    to.copy_(to.to(at::kFloat) + value);
  else
    to.copy_(value);
}

void translate(kernels::HeadRows& rows, const char* name) {
  rows.data = mirror_array(rows.data, name);
}

void translate(kernels::AttentionTables& tables) {
  for (const kernels::AttentionTable& row : kernels::kAttentionTables) {
    kernels::HeadTable& table = tables.*row.table;
    table.data = mirror_array(table.data, "a table of score terms");
  }
}

/// Adapts the call to the CPU kernels.
void translate(kernels::AttentionForward& call) {
  kernels::AttentionSizes& sizes = call.sizes;
  if (sizes.device_query_offsets.data == nullptr) {
    // Like the CUDA kernels' loader, copies offsets that are only on the host.
    log_copy(CopyKind::kHostToDevice);
    log_wait("offsets of attention in host memory");
  } else {
    sizes.query_offsets = {mirror_array(sizes.device_query_offsets.data, "query offsets")};
    sizes.key_offsets = {mirror_array(sizes.device_key_offsets.data, "key offsets")};
  }
  if (sizes.dropout > 0.0) sizes.dropout_key = key_on_device(sizes.device_dropout_key);
  if (is_device_memory(call.terms.content_scale))
    throw Error("fused kernel: content_scale must be in host memory");
  translate(call.terms.tables);
  call.terms.segments = mirror_array(call.terms.segments, "segments");
  translate(call.queries, "queries");
  translate(call.keys, "keys");
  translate(call.values, "values");
  translate(call.output, "output");
  translate(call.output_rest, "output_rest");
  call.log_normalizer = mirror_array(call.log_normalizer, "log_normalizer");
}

bool has_relative_vectors(const kernels::AttentionTables& tables) {
  return tables.relative_keys.data != nullptr || tables.relative_queries.data != nullptr ||
         tables.relative_values.data != nullptr || tables.query_features.data != nullptr;
}

/// The CPU kernels add to the gradients of tables.
void clear(const kernels::AttentionBackward& call) {
  const kernels::AttentionForward& forward = call.forward;
  for (const kernels::AttentionTable& row : kernels::kAttentionTables) {
    const kernels::HeadTable& table = call.grad_tables.*row.table;
    if (table.data == nullptr) continue;
    const int64_t heads = table.head_stride == 0 ? 1 : forward.sizes.heads;
    std::fill_n(table.data, heads * kernels::numbers_per_head(row, forward.sizes, forward.terms),
                0.0f);
  }
}

bool has_tables(const kernels::AttentionTables& tables) {
  return std::ranges::any_of(kernels::kAttentionTables, [&](const kernels::AttentionTable& row) {
    return (tables.*row.table).data != nullptr;
  });
}

}  // namespace

bool linear(const kernels::DeviceLinear& call) {
  const DeviceWork work;
  log_launches("linear");
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const Tensor output = matrix(call.output, call.type, {call.rows, call.outputs}, "output");
  if (!computes()) return true;
  const Tensor x = matrix(call.x, call.type, {call.rows, call.inputs}, "x");
  const Tensor weight = matrix(call.weight, call.type, {call.outputs, call.inputs}, "weight");
  Tensor y = at::mm(x.to(at::kFloat), weight.to(at::kFloat).t());
  if (call.bias != nullptr) y.add_(matrix(call.bias, call.type, {call.outputs}, "bias"));
  if (call.relu) y.relu_();
  output.copy_(y);
  return true;
}

void linear_backward(const kernels::DeviceLinearBackward& call) {
  const DeviceWork work;
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const Tensor x = matrix(call.x, call.type, {call.rows, call.inputs}, "x");
  const Tensor weight = matrix(call.weight, call.type, {call.outputs, call.inputs}, "weight");
  const Tensor grad = matrix(call.grad_output, call.type, {call.rows, call.outputs}, "grad_output");
  const Tensor grad_x = matrix(call.grad_x, call.type, {call.rows, call.inputs}, "grad_x");
  const Tensor grad_weight =
      matrix(call.grad_weight, ElementType::kFloat, {call.outputs, call.inputs}, "grad_weight");
  const Tensor grad_bias = matrix(call.grad_bias, ElementType::kFloat, {call.outputs}, "grad_bias");
  if (grad_x.defined()) {
    log_launches("linear_backward (x)");
    if (computes())
      store(grad_x, at::mm(grad.to(at::kFloat), weight.to(at::kFloat)), call.add_to_grad_x);
  }
  if (grad_weight.defined()) {
    log_launches("linear_backward (weight)");
    if (computes())
      store(grad_weight, at::mm(grad.to(at::kFloat).t(), x.to(at::kFloat)), call.accumulate);
  }
  if (grad_bias.defined()) {
    // Otherwise the product of the weight's gradient yields the sums.
    if (call.accumulate || call.grad_weight == nullptr) log_launches("linear_backward (bias)");
    if (computes()) store(grad_bias, grad.to(at::kFloat).sum(0), call.accumulate);
  }
}

std::vector<std::string> reasons_against_attention(const kernels::AttentionForward& call) {
  if (call.sizes.type == ElementType::kHalf) return {"the kernels of the CPU lack fp16"};
  return {};
}

void attention_forward(const kernels::AttentionForward& call) {
  const DeviceWork work;
  // Relative vectors are converted first.
  log_launches("attention_forward", has_relative_vectors(call.terms.tables) ? 2 : 1);
  kernels::AttentionForward mirrored = call;
  translate(mirrored);
  if (computes()) kernels::attention_forward_cpu(mirrored);
}

void attention_backward(const kernels::AttentionBackward& call) {
  const DeviceWork work;
  kernels::AttentionBackward mirrored = call;
  translate(mirrored.forward);
  translate(mirrored.grad_output, "grad_output");
  translate(mirrored.grad_queries, "grad_queries");
  translate(mirrored.grad_keys, "grad_keys");
  translate(mirrored.grad_values, "grad_values");
  translate(mirrored.grad_tables);
  // Preparation, gradients, and adding up the tables' partial sums.
  log_launches("attention_backward", has_tables(call.grad_tables) ? 3 : 2);
  if (!computes()) return;
  clear(mirrored);
  kernels::attention_backward_cpu(mirrored);
}

}  // namespace dietmt::counting
