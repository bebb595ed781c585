#include "encoders/ops/token_embedding.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "encoders/device/device.h"
#include "encoders/ops/row_kernels.h"
#include "encoders/ops/weight_copies.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The gradient of a table whose rows `tokens` were read.
Tensor embedding_gradient(const Tensor& grad_output, const TokenIds& tokens, int64_t rows,
                          double scale, const kernels::DropoutCall& dropout) {
  const Tensor order =
      tokens.order.defined() ? tokens.order : at::argsort(tokens.ids, /*stable=*/true, /*dim=*/0);
  const Tensor gradient =
      at::zeros({rows, grad_output.size(1)}, grad_output.options().dtype(at::kFloat));
  kernels::DeviceEmbedBackward call;
  call.type = element_type(grad_output.scalar_type());
  call.rows = grad_output.size(0);
  call.width = grad_output.size(1);
  call.grad_output = grad_output.const_data_ptr();
  call.ids = tokens.ids.const_data_ptr<int64_t>();
  call.order = order.const_data_ptr<int64_t>();
  call.scale = scale;
  call.dropout = dropout;
  call.grad_table = gradient.mutable_data_ptr<float>();
  const c10::DeviceGuard guard(grad_output.device());
  device_kernels(grad_output.device())->embed_backward(call);
  return gradient;
}

struct Embedding : torch::autograd::Function<Embedding> {
  static Tensor forward(AutogradContext* context, const Tensor& table,
                        const std::optional<Tensor>& position_table, const Tensor& ids,
                        const std::optional<Tensor>& order, const std::optional<Tensor>& positions,
                        double scale, const DropoutSite& site) {
    const Tensor pass_key = site.pass_key(table.device());
    const at::ScalarType type = pass_precision().type.value_or(at::kFloat);
    const Tensor output =
        at::empty({ids.size(0), table.size(1)}, table.options().dtype(type).requires_grad(false));
    kernels::DeviceEmbed call;
    call.type = element_type(type);
    call.rows = output.size(0);
    call.width = output.size(1);
    call.table = table.const_data_ptr<float>();
    call.ids = ids.const_data_ptr<int64_t>();
    call.scale = scale;
    call.position_table = numbers_of(*position_table);
    call.positions = numbers_of<int64_t>(*positions);
    call.dropout = dropout_call(site.p, pass_key, site.number);
    call.output = output.mutable_data_ptr();
    const c10::DeviceGuard guard(output.device());
    device_kernels(output.device())->embed(call);
    context->save_for_backward({ids, *order, *positions, pass_key});
    context->saved_data["rows"] = table.size(0);
    context->saved_data["position_rows"] = position_table->defined() ? position_table->size(0) : 0;
    context->saved_data["scale"] = scale;
    context->saved_data["p"] = site.p;
    context->saved_data["site"] = static_cast<int64_t>(site.number);
    return output;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const Tensor grad_output = gradients[0].contiguous();
    auto& data = context->saved_data;
    const kernels::DropoutCall dropout =
        dropout_call(data["p"].toDouble(), saved[3], static_cast<uint64_t>(data["site"].toInt()));
    variable_list results(7);
    if (context->needs_input_grad(0))
      results[0] = embedding_gradient(grad_output, {saved[0], saved[1]}, data["rows"].toInt(),
                                      data["scale"].toDouble(), dropout);
    if (saved[2].defined() && context->needs_input_grad(1))
      results[1] =
          embedding_gradient(grad_output, saved[2], data["position_rows"].toInt(), 1.0, dropout);
    return results;
  }
};

}  // namespace

void sort_ids(std::span<const int64_t> ids, int64_t* order) {
  std::iota(order, order + ids.size(), int64_t{0});
  std::stable_sort(order, order + ids.size(), [&](int64_t a, int64_t b) {
    return ids[static_cast<size_t>(a)] < ids[static_cast<size_t>(b)];
  });
}

Tensor embed(const TokenEmbedding& tokens) {
  if (embeds_with_positions(tokens)) return embed(tokens, {}, {}, {});
  const Tensor rows = at::embedding(tokens.table, tokens.rows.ids);
  const Tensor scaled = tokens.scale == 1.0 ? rows : rows * tokens.scale;
  return scaled.is_cpu() ? scaled : in_pass_type(scaled);
}

bool embeds_with_positions(const TokenEmbedding& tokens) {
  const kernels::DeviceKernels* const device = row_kernels(tokens.table);
  return device != nullptr && device->embed != nullptr && tokens.table.scalar_type() == at::kFloat;
}

Tensor embed(const TokenEmbedding& tokens, const Tensor& position_table, const Tensor& positions,
             const DropoutSite& site) {
  const bool has_positions = position_table.defined();
  return Embedding::apply(tokens.table,
                          std::optional(has_positions ? position_table.contiguous() : Tensor()),
                          tokens.rows.ids, std::optional(tokens.rows.order),
                          std::optional(has_positions ? positions : Tensor()), tokens.scale, site);
}

}  // namespace dietmt::encoders
