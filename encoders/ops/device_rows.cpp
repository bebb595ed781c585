#include "encoders/ops/device_rows.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/autograd/custom_function.h>

#include "encoders/device/device.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;
using kernels::DeviceActivation;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

const float* floats_of(const Tensor& x) {
  return x.defined() ? x.const_data_ptr<float>() : nullptr;
}
float* floats_to(const Tensor& x) { return x.defined() ? x.mutable_data_ptr<float>() : nullptr; }
const void* data_of(const Tensor& x) { return x.defined() ? x.const_data_ptr() : nullptr; }
void* data_to(const Tensor& x) { return x.defined() ? x.mutable_data_ptr() : nullptr; }

Tensor contiguous(const Tensor& x) { return x.defined() ? x.contiguous() : x; }

// The key of the pass, which backward needs as well, and the number of the site.
kernels::DropoutCall dropout_call(double p, const Tensor& pass_key, int64_t site) {
  return {p, device_dropout_key(pass_key, static_cast<uint64_t>(site))};
}

struct NormInputs {
  const Tensor &residual, &branch, &branch_bias, &gamma, &beta;
};

// Fills `normalized` and `inverse_std` if they are defined.
Tensor run_add_norm(const NormInputs& in, const kernels::DropoutCall& dropout, double epsilon,
                    const Tensor& normalized, const Tensor& inverse_std) {
  const Tensor output = at::empty_like(in.residual);
  kernels::DeviceAddNorm call;
  call.type = element_type(in.residual.scalar_type());
  call.rows = in.residual.size(0);
  call.width = in.residual.size(1);
  call.residual = in.residual.const_data_ptr();
  call.branch = data_of(in.branch);
  call.branch_bias = floats_of(in.branch_bias);
  call.gamma = in.gamma.const_data_ptr<float>();
  call.beta = floats_of(in.beta);
  call.dropout = dropout;
  call.epsilon = epsilon;
  call.normalized = data_to(normalized);
  call.inverse_std = floats_to(inverse_std);
  call.output = output.mutable_data_ptr();
  const c10::DeviceGuard guard(output.device());
  device_kernels(output.device())->add_norm(call);
  return output;
}

struct DeviceNorm : torch::autograd::Function<DeviceNorm> {
  static Tensor forward(AutogradContext* context, const Tensor& residual,
                        const std::optional<Tensor>& given_branch,
                        const std::optional<Tensor>& given_branch_bias, const Tensor& gamma,
                        const std::optional<Tensor>& given_beta, double p,
                        const std::optional<Tensor>& given_pass_key, int64_t site, double epsilon) {
    const Tensor branch = given_branch.value_or(Tensor()), beta = given_beta.value_or(Tensor()),
                 branch_bias = given_branch_bias.value_or(Tensor()),
                 pass_key = given_pass_key.value_or(Tensor());
    const Tensor normalized = at::empty_like(residual);
    const Tensor inverse_std = at::empty({residual.size(0)}, gamma.options().requires_grad(false));
    context->save_for_backward({normalized, inverse_std, gamma, pass_key});
    context->saved_data["p"] = p;
    context->saved_data["site"] = site;
    context->saved_data["has"] =
        int64_t{branch.defined()} | branch_bias.defined() << 1 | beta.defined() << 2;
    return run_add_norm({residual, branch, branch_bias, gamma, beta},
                        dropout_call(p, pass_key, site), epsilon, normalized, inverse_std);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const Tensor grad_output = gradients[0].contiguous();
    const Tensor& gamma = saved[2];
    const int64_t has = context->saved_data["has"].toInt();
    const double p = context->saved_data["p"].toDouble();
    const Tensor grad_residual = at::empty_like(grad_output);
    Tensor grad_branch, grad_branch_bias, grad_beta;
    const Tensor grad_gamma = at::empty_like(gamma);
    if ((has & 1) != 0) grad_branch = p > 0.0 ? at::empty_like(grad_output) : grad_residual;
    if ((has & 2) != 0) grad_branch_bias = at::empty_like(gamma);
    if ((has & 4) != 0) grad_beta = at::empty_like(gamma);
    kernels::DeviceAddNormBackward call;
    call.type = element_type(grad_output.scalar_type());
    call.rows = grad_output.size(0);
    call.width = grad_output.size(1);
    call.grad_output = grad_output.const_data_ptr();
    call.normalized = saved[0].const_data_ptr();
    call.inverse_std = saved[1].const_data_ptr<float>();
    call.gamma = gamma.const_data_ptr<float>();
    call.has_mean = grad_beta.defined();
    call.dropout = dropout_call(p, saved[3], context->saved_data["site"].toInt());
    call.grad_residual = grad_residual.mutable_data_ptr();
    call.grad_branch = p > 0.0 ? data_to(grad_branch) : nullptr;
    call.grad_gamma = grad_gamma.mutable_data_ptr<float>();
    call.grad_beta = floats_to(grad_beta);
    call.grad_branch_bias = floats_to(grad_branch_bias);
    const c10::DeviceGuard guard(grad_output.device());
    device_kernels(grad_output.device())->add_norm_backward(call);
    return {grad_residual, grad_branch, grad_branch_bias, grad_gamma, grad_beta, {}, {}, {}, {}};
  }
};

kernels::DeviceActivate activate_call(const Tensor& x, const Tensor& bias,
                                      DeviceActivation activation,
                                      const kernels::DropoutCall& dropout) {
  kernels::DeviceActivate call;
  call.type = element_type(x.scalar_type());
  call.activation = activation;
  call.width = x.size(-1) / (activation == DeviceActivation::kSwiglu ? 2 : 1);
  call.rows = x.numel() / x.size(-1);
  call.x = x.const_data_ptr();
  call.bias = floats_of(bias);
  call.dropout = dropout;
  return call;
}

Tensor run_activate(kernels::DeviceActivate call, const Tensor& x, const Tensor& residual) {
  std::vector<int64_t> sizes = x.sizes().vec();
  sizes.back() = call.width;
  const Tensor output = at::empty(sizes, x.options().requires_grad(false));
  call.residual = data_of(residual);
  call.output = output.mutable_data_ptr();
  const c10::DeviceGuard guard(output.device());
  device_kernels(output.device())->activate(call);
  return output;
}

/// Gradient of the input, and of the bias unless grad_bias is null.
Tensor activation_gradient(const kernels::DeviceActivate& forward, const Tensor& grad_output,
                           Tensor* grad_bias) {
  const bool wide = forward.activation == DeviceActivation::kSwiglu;
  const int64_t inputs = forward.width * (wide ? 2 : 1);
  std::vector<int64_t> sizes = grad_output.sizes().vec();
  sizes.back() = inputs;
  const Tensor grad_x = at::empty(sizes, grad_output.options());
  if (grad_bias != nullptr)
    *grad_bias = at::empty({inputs}, grad_output.options().dtype(at::kFloat));
  kernels::DeviceActivateBackward call;
  call.forward = forward;
  call.grad_output = grad_output.const_data_ptr();
  call.grad_x = grad_x.mutable_data_ptr();
  if (grad_bias != nullptr) call.grad_bias = grad_bias->mutable_data_ptr<float>();
  const c10::DeviceGuard guard(grad_output.device());
  device_kernels(grad_output.device())->activate_backward(call);
  return grad_x;
}

struct DeviceActivationFunction : torch::autograd::Function<DeviceActivationFunction> {
  static Tensor forward(AutogradContext* context, const std::optional<Tensor>& residual,
                        const Tensor& x, const std::optional<Tensor>& given_bias,
                        int64_t activation, double p, const std::optional<Tensor>& given_pass_key,
                        int64_t site) {
    const Tensor bias = given_bias.value_or(Tensor()), pass_key = given_pass_key.value_or(Tensor());
    const auto kind = static_cast<DeviceActivation>(activation);
    context->set_materialize_grads(false);
    // Without an activation the gradient needs no input.
    const bool reads = kind != DeviceActivation::kNone;
    context->save_for_backward({reads ? x : Tensor(), bias, pass_key});
    context->saved_data["activation"] = activation;
    context->saved_data["has_residual"] = residual.has_value();
    context->saved_data["p"] = p;
    context->saved_data["site"] = site;
    return run_activate(activate_call(x, bias, kind, dropout_call(p, pass_key, site)), x,
                        residual.value_or(Tensor()));
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const Tensor& given = gradients[0];
    if (!given.defined()) return variable_list(7);
    const auto kind = static_cast<DeviceActivation>(context->saved_data["activation"].toInt());
    const double p = context->saved_data["p"].toDouble();
    const Tensor grad_output = given.contiguous();
    const Tensor& bias = saved[1];
    const Tensor& x = saved[0].defined() ? saved[0] : grad_output;
    Tensor grad_bias;
    const bool has_residual = context->saved_data["has_residual"].toBool();
    const bool wants_bias = bias.defined() && context->needs_input_grad(has_residual ? 2 : 1);
    Tensor grad_x = grad_output;
    if (kind != DeviceActivation::kNone || p > 0.0 || wants_bias) {
      const kernels::DropoutCall dropout =
          dropout_call(p, saved[2], context->saved_data["site"].toInt());
      grad_x = activation_gradient(activate_call(x, bias, kind, dropout), grad_output,
                                   wants_bias ? &grad_bias : nullptr);
    }
    return {has_residual ? given : Tensor(), grad_x, grad_bias, {}, {}, {}, {}};
  }
};

}  // namespace

std::optional<Tensor> if_defined(const Tensor& x) {
  return x.defined() ? std::optional<Tensor>(x) : std::nullopt;
}

const kernels::DeviceKernels* row_kernels(const Tensor& x) {
  if (x.is_cpu()) return nullptr;
  const at::ScalarType type = x.scalar_type();
  if (type != at::kFloat && type != at::kBFloat16 && type != at::kHalf) return nullptr;
  return device_kernels(x.device());
}

bool has_device_add_norm(const Tensor& residual, const Tensor& gamma) {
  const kernels::DeviceKernels* const device = row_kernels(residual);
  return device != nullptr && device->add_norm != nullptr && gamma.scalar_type() == at::kFloat &&
         residual.size(-1) <= kernels::kWidestDeviceNorm;
}

Tensor device_add_norm(const Tensor& residual, const Branch& branch, const Tensor& gamma,
                       const Tensor& beta, const DropoutSite& site, double epsilon) {
  const Tensor rows = residual.contiguous(), added = contiguous(branch.rows);
  const Tensor pass_key = site.pass_key(rows.device());
  const auto number = static_cast<int64_t>(site.number);
  if (at::GradMode::is_enabled())
    return DeviceNorm::apply(rows, if_defined(added), if_defined(branch.bias), gamma,
                             if_defined(beta), site.p, if_defined(pass_key), number, epsilon);
  return run_add_norm({rows, added, branch.bias, gamma, beta},
                      dropout_call(site.p, pass_key, number), epsilon, {}, {});
}

bool has_device_activate(const Tensor& x) {
  const kernels::DeviceKernels* const device = row_kernels(x);
  return device != nullptr && device->activate != nullptr;
}

Tensor device_activate(const Tensor& residual, const Branch& x, DeviceActivation activation,
                       const DropoutSite& site) {
  return DeviceActivationFunction::apply(if_defined(contiguous(residual)), x.rows.contiguous(),
                                         if_defined(x.bias), static_cast<int64_t>(activation),
                                         site.p, if_defined(site.pass_key(x.rows.device())),
                                         static_cast<int64_t>(site.number));
}

}  // namespace dietmt::encoders
