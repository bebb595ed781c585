#include "encoders/ops/token_embedding.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "encoders/device/device.h"
#include "encoders/ops/device_rows.h"
#include "encoders/ops/weight_copies.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct EmbeddingSettings {
  double scale;
  double p;
  kernels::DeviceDropoutKey key;
};

// The gradient of a table whose rows `tokens` were read.
Tensor embedding_gradient(const Tensor& grad_output, const TokenIds& tokens, int64_t rows,
                          const EmbeddingSettings& settings) {
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
  call.scale = settings.scale;
  call.dropout = {settings.p, settings.key};
  call.grad_table = gradient.mutable_data_ptr<float>();
  const c10::DeviceGuard guard(grad_output.device());
  device_kernels(grad_output.device())->embed_backward(call);
  return gradient;
}

struct DeviceEmbedding : torch::autograd::Function<DeviceEmbedding> {
  static Tensor forward(AutogradContext* context, const Tensor& table,
                        const std::optional<Tensor>& position_table, const Tensor& ids,
                        const std::optional<Tensor>& order, const std::optional<Tensor>& positions,
                        double scale, double p, const std::optional<Tensor>& given_pass_key,
                        int64_t site) {
    const Tensor pass_key = given_pass_key.value_or(Tensor());
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
    if (position_table) {
      call.position_table = position_table->const_data_ptr<float>();
      call.positions = positions->const_data_ptr<int64_t>();
    }
    call.dropout = {p, device_dropout_key(pass_key, static_cast<uint64_t>(site))};
    call.output = output.mutable_data_ptr();
    const c10::DeviceGuard guard(output.device());
    device_kernels(output.device())->embed(call);
    context->save_for_backward(
        {ids, order.value_or(Tensor()), positions.value_or(Tensor()), pass_key});
    context->saved_data["rows"] = table.size(0);
    context->saved_data["position_rows"] = position_table ? position_table->size(0) : 0;
    context->saved_data["scale"] = scale;
    context->saved_data["p"] = p;
    context->saved_data["site"] = site;
    return output;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const Tensor grad_output = gradients[0].contiguous();
    auto& data = context->saved_data;
    const EmbeddingSettings settings{
        data["scale"].toDouble(), data["p"].toDouble(),
        device_dropout_key(saved[3], static_cast<uint64_t>(data["site"].toInt()))};
    variable_list results(9);
    if (context->needs_input_grad(0))
      results[0] =
          embedding_gradient(grad_output, {saved[0], saved[1]}, data["rows"].toInt(), settings);
    if (saved[2].defined() && context->needs_input_grad(1))
      results[1] = embedding_gradient(grad_output, saved[2], data["position_rows"].toInt(),
                                      {1.0, settings.p, settings.key});
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
  return DeviceEmbedding::apply(
      tokens.table, if_defined(has_positions ? position_table.contiguous() : Tensor()),
      tokens.rows.ids, if_defined(tokens.rows.order),
      if_defined(has_positions ? positions : Tensor()), tokens.scale, site.p,
      if_defined(site.pass_key(tokens.table.device())), static_cast<int64_t>(site.number));
}

}  // namespace dietmt::encoders
