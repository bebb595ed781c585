// Activations, dropout and residual connections without a norm.
#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>
#include <vector>

#include "encoders/device/device.h"
#include "encoders/ops/fused_ops.h"
#include "encoders/ops/row_kernels.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The CPU's kernel is only for dropout and sums, and a device's has no approximations.
bool has_activation_kernel(const Branch& x, Activation activation) {
  const kernels::DeviceKernels* const kernels = row_kernels(x.rows);
  if (kernels == nullptr || kernels->activate == nullptr) return false;
  if (x.rows.is_cpu()) return activation == Activation::kNone && !x.bias.defined();
  return activation != Activation::kGeluTanh && activation != Activation::kGegluTanh;
}

kernels::Activate activate_call(const Tensor& x, const Tensor& bias, Activation activation,
                                const kernels::DropoutCall& dropout) {
  kernels::Activate call;
  call.type = element_type(x.scalar_type());
  call.activation = activation;
  call.width = x.size(-1) / (is_gated(activation) ? 2 : 1);
  call.rows = x.numel() / x.size(-1);
  call.x = x.const_data_ptr();
  call.bias = numbers_of(bias);
  call.dropout = dropout;
  return call;
}

Tensor run_activate(kernels::Activate call, const Tensor& x, const Tensor& residual) {
  std::vector<int64_t> sizes = x.sizes().vec();
  sizes.back() = call.width;
  const Tensor output = at::empty(sizes, x.options().requires_grad(false));
  call.residual = numbers_of<void>(residual);
  call.output = output.mutable_data_ptr();
  const c10::DeviceGuard guard(output.device());
  row_kernels(output)->activate(call);
  return output;
}

// Gradient of the input, and of the bias unless grad_bias is null.
Tensor activation_gradient(const kernels::Activate& forward, const Tensor& grad_output,
                           Tensor* grad_bias) {
  const int64_t inputs = forward.width * (is_gated(forward.activation) ? 2 : 1);
  std::vector<int64_t> sizes = grad_output.sizes().vec();
  sizes.back() = inputs;
  const Tensor grad_x = at::empty(sizes, grad_output.options());
  if (grad_bias != nullptr)
    *grad_bias = at::empty({inputs}, grad_output.options().dtype(at::kFloat));
  const c10::DeviceGuard guard(grad_output.device());
  row_kernels(grad_output)
      ->activate_backward({.forward = forward,
                           .grad_output = grad_output.const_data_ptr(),
                           .grad_x = grad_x.mutable_data_ptr(),
                           .grad_bias = grad_bias ? numbers_to(*grad_bias) : nullptr});
  return grad_x;
}

// [residual +] dropout(activation(x [+ bias])).
struct Activated : torch::autograd::Function<Activated> {
  static Tensor forward(AutogradContext* context, const std::optional<Tensor>& residual,
                        const Tensor& x, const std::optional<Tensor>& bias, Activation activation,
                        const DropoutSite& site) {
    context->set_materialize_grads(false);
    const Tensor pass_key = site.pass_key(x.device());
    // Without an activation the gradient needs no input.
    const bool reads = activation != Activation::kNone;
    context->save_for_backward({reads ? x : Tensor(), *bias, pass_key});
    context->saved_data["activation"] = static_cast<int64_t>(activation);
    context->saved_data["has_residual"] = residual->defined();
    context->saved_data["p"] = site.p;
    context->saved_data["site"] = static_cast<int64_t>(site.number);
    const kernels::DropoutCall dropout = dropout_call(site.p, pass_key, site.number);
    return run_activate(activate_call(x, *bias, activation, dropout), x, *residual);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const Tensor &given = gradients[0], &bias = saved[1];
    if (!given.defined()) return variable_list(5);
    auto& data = context->saved_data;
    const auto activation = static_cast<Activation>(data["activation"].toInt());
    const kernels::DropoutCall dropout =
        dropout_call(data["p"].toDouble(), saved[2], static_cast<uint64_t>(data["site"].toInt()));
    const Tensor grad_output = given.contiguous();
    const bool has_residual = data["has_residual"].toBool();
    const bool wants_bias = bias.defined() && context->needs_input_grad(has_residual ? 2 : 1);
    Tensor grad_x = grad_output, grad_bias;
    if (given.is_cpu()) {  // dropout, whose gradient is dropout
      grad_x = run_activate(activate_call(grad_output, {}, activation, dropout), grad_output, {});
    } else if (activation != Activation::kNone || dropout.p > 0.0 || wants_bias) {
      const Tensor& x = saved[0].defined() ? saved[0] : grad_output;
      grad_x = activation_gradient(activate_call(x, bias, activation, dropout), grad_output,
                                   wants_bias ? &grad_bias : nullptr);
    }
    return {has_residual ? given : Tensor(), grad_x, grad_bias, {}, {}};
  }
};

Tensor activated(const Tensor& residual, const Branch& x, Activation activation,
                 const DropoutSite& site) {
  return Activated::apply(std::optional(residual.defined() ? residual.contiguous() : residual),
                          x.rows.contiguous(), std::optional(x.bias), activation, site);
}

// With its bias.
Tensor whole(const Branch& branch) {
  return branch.bias.defined() ? branch.rows + branch.bias.to(branch.rows.scalar_type())
                               : branch.rows;
}

}  // namespace

Tensor dropout_add(const Tensor& residual, const Branch& branch, const DropoutSite& site) {
  const Branch cast(branch.rows.to(residual.scalar_type()), branch.bias);
  const bool plain = residual.is_cpu() && site.p == 0.0;
  if (has_activation_kernel(cast, Activation::kNone) && !plain)
    return activated(residual, cast, Activation::kNone, site);
  const Tensor rows = whole(cast);
  return site.p == 0.0 ? residual + rows : residual + rows * dropout_mask_like(rows, site);
}

Tensor activate(const Branch& x, Activation activation, const DropoutSite& site) {
  if (has_activation_kernel(x, activation)) return activated({}, x, activation, site);
  Tensor rows = whole(x);
  switch (activation) {
    case Activation::kNone:
      return dropout(rows, site);
    case Activation::kRelu:
      return dropout(at::relu_(rows), site);
    case Activation::kGelu:
      return dropout(at::gelu(rows), site);
    case Activation::kSilu:
      return dropout(at::silu(rows), site);
    case Activation::kGeluTanh:
      return dropout(at::gelu(rows, "tanh"), site);
    case Activation::kSwiglu:
    case Activation::kGegluTanh:
      break;
  }
  const int64_t width = rows.size(1) / 2;
  const Tensor gate = rows.narrow(1, 0, width);
  const Tensor opened = activation == Activation::kSwiglu ? at::silu(gate) : at::gelu(gate, "tanh");
  return dropout(opened * rows.narrow(1, width, width), site);
}

Tensor dropout(const Tensor& x, const DropoutSite& site) {
  if (site.p == 0.0) return x;
  if (has_activation_kernel(x, Activation::kNone)) return activated({}, x, Activation::kNone, site);
  return x * dropout_mask_like(x, site);
}

Tensor row_dropout(const Tensor& x, const DropoutSite& site) {
  if (site.p == 0.0) return x;
  return x * dropout_mask_like(x.narrow(1, 0, 1), site);  // [N, D] * [N, 1]
}

}  // namespace dietmt::encoders
