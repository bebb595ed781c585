// Norms and what comes before them in a residual connection.
#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <optional>

#include "encoders/device/device.h"
#include "encoders/ops/fused_ops.h"
#include "encoders/ops/row_kernels.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

bool has_norm_kernel(const Tensor& x, const Tensor& gamma) {
  const kernels::DeviceKernels* const kernels = row_kernels(x);
  return kernels != nullptr && kernels->add_norm != nullptr && gamma.scalar_type() == at::kFloat &&
         (x.is_cpu() || x.size(-1) <= kernels::kWidestDeviceNorm);
}

// Whether the values before gamma and beta can be recovered from the output to about 1e-6.
bool is_invertible(const Tensor& gamma, const Tensor& beta) {
  constexpr float kSmallest = 1e-6f, kLargestRatio = 16.0f;
  const float* g = gamma.const_data_ptr<float>();
  const float* b = numbers_of(beta);
  for (int64_t c = 0; c < gamma.numel(); ++c) {
    const float size = std::abs(g[c]);
    const float shift = b == nullptr ? 0.0f : std::abs(b[c]);
    if (!(size >= kSmallest && shift <= kLargestRatio * size)) return false;
  }
  return true;
}

// Without beta an RMS norm, which may lack the branch.
struct NormInputs {
  const Tensor &residual, &branch, &branch_bias, &gamma, &beta;
};

// Fills `normalized` and `inverse_std` if they are defined.
Tensor run_add_norm(const NormInputs& in, const kernels::DropoutCall& dropout, double epsilon,
                    const Tensor& normalized, const Tensor& inverse_std) {
  const Tensor output = at::empty_like(in.residual);
  const c10::DeviceGuard guard(output.device());
  row_kernels(output)->add_norm({.type = element_type(output.scalar_type()),
                                 .rows = output.size(0),
                                 .width = output.size(1),
                                 .residual = in.residual.const_data_ptr(),
                                 .branch = numbers_of<void>(in.branch),
                                 .branch_bias = numbers_of(in.branch_bias),
                                 .gamma = numbers_of(in.gamma),
                                 .beta = numbers_of(in.beta),
                                 .dropout = dropout,
                                 .epsilon = epsilon,
                                 .normalized = numbers_to<void>(normalized),
                                 .inverse_std = numbers_to(inverse_std),
                                 .output = output.mutable_data_ptr()});
  return output;
}

struct AddNorm : torch::autograd::Function<AddNorm> {
  static Tensor forward(AutogradContext* context, const Tensor& residual,
                        const std::optional<Tensor>& branch,
                        const std::optional<Tensor>& branch_bias, const Tensor& gamma,
                        const std::optional<Tensor>& beta, const DropoutSite& site,
                        double epsilon) {
    // Later layers keep the output anyway, so keeping only it saves memory. The rounding of bf16 is
    // too coarse for that, and the host does not read gamma on a device.
    const bool from_output =
        residual.is_cpu() && residual.scalar_type() == at::kFloat && is_invertible(gamma, *beta);
    const Tensor normalized = from_output ? Tensor() : at::empty_like(residual);
    const Tensor inverse_std = at::empty({residual.size(0)}, gamma.options().requires_grad(false));
    const Tensor pass_key = site.pass_key(residual.device());
    const Tensor output =
        run_add_norm({residual, *branch, *branch_bias, gamma, *beta},
                     dropout_call(site.p, pass_key, site.number), epsilon, normalized, inverse_std);
    context->save_for_backward(
        {normalized, from_output ? output : Tensor(), inverse_std, gamma, *beta, pass_key});
    context->saved_data["has_branch"] = branch->defined();
    context->saved_data["has_branch_bias"] = branch_bias->defined();
    context->saved_data["p"] = site.p;
    context->saved_data["site"] = static_cast<int64_t>(site.number);
    return output;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const Tensor grad_output = gradients[0].contiguous();
    const Tensor &inverse_std = saved[2], &gamma = saved[3], &beta = saved[4];
    auto& data = context->saved_data;
    const double p = data["p"].toDouble();
    const Tensor grad_residual = at::empty_like(grad_output), grad_gamma = at::empty_like(gamma);
    Tensor grad_branch, grad_branch_bias, grad_beta;
    if (data["has_branch"].toBool())
      grad_branch = p > 0.0 ? at::empty_like(grad_output) : grad_residual;
    if (data["has_branch_bias"].toBool()) grad_branch_bias = at::empty_like(gamma);
    if (beta.defined()) grad_beta = at::empty_like(gamma);
    const auto site = static_cast<uint64_t>(data["site"].toInt());
    const c10::DeviceGuard guard(grad_output.device());
    row_kernels(grad_output)
        ->add_norm_backward({.type = element_type(grad_output.scalar_type()),
                             .rows = grad_output.size(0),
                             .width = grad_output.size(1),
                             .grad_output = grad_output.const_data_ptr(),
                             .normalized = numbers_of<void>(saved[0]),
                             .output = numbers_of<void>(saved[1]),
                             .inverse_std = numbers_of(inverse_std),
                             .gamma = numbers_of(gamma),
                             .beta = numbers_of(beta),
                             .dropout = dropout_call(p, saved[5], site),
                             .grad_residual = grad_residual.mutable_data_ptr(),
                             .grad_branch = p > 0.0 ? numbers_to<void>(grad_branch) : nullptr,
                             .grad_gamma = numbers_to(grad_gamma),
                             .grad_beta = numbers_to(grad_beta),
                             .grad_branch_bias = numbers_to(grad_branch_bias)});
    return {grad_residual, grad_branch, grad_branch_bias, grad_gamma, grad_beta, {}, {}};
  }
};

// By the kernel; the branch's rows may be undefined.
Tensor normed(const Tensor& residual, const Branch& branch, const Tensor& gamma, const Tensor& beta,
              const DropoutSite& site, double epsilon) {
  const Tensor rows = residual.contiguous();
  const Tensor added = branch.rows.defined() ? branch.rows.contiguous() : branch.rows;
  if (at::GradMode::is_enabled())
    return AddNorm::apply(rows, std::optional(added), std::optional(branch.bias), gamma,
                          std::optional(beta), site, epsilon);
  return run_add_norm({rows, added, branch.bias, gamma, beta},
                      dropout_call(site.p, site.pass_key(rows.device()), site.number), epsilon, {},
                      {});
}

// x: [.., D].
Tensor normed(const Tensor& x, const Tensor& gamma, const Tensor& beta, double epsilon) {
  return normed(x.contiguous().flatten(0, -2), Tensor(), gamma, beta, {}, epsilon).view(x.sizes());
}

}  // namespace

Tensor add_norm(const Tensor& residual, const Branch& branch, const Tensor& gamma,
                const Tensor& beta, const DropoutSite& site, double epsilon) {
  if (has_norm_kernel(residual, gamma) && !(residual.is_cpu() && branch.bias.defined())) {
    const Branch cast(branch.rows.to(residual.scalar_type()), branch.bias);
    return normed(residual, cast, gamma, beta, site, epsilon);
  }
  const Tensor sum = dropout_add(residual, branch, site);
  if (!beta.defined()) return rms_norm(sum, gamma, epsilon);
  return layer_norm(sum, gamma, beta, epsilon);
}

Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, double epsilon) {
  if (x.is_cpu()) return at::layer_norm(x, {x.size(-1)}, gamma, beta, epsilon);
  if (has_norm_kernel(x, gamma)) return normed(x, gamma, beta, epsilon);
  return at::layer_norm(x.to(gamma.scalar_type()), {x.size(-1)}, gamma, beta, epsilon)
      .to(x.scalar_type());
}

Tensor rms_norm(const Tensor& x, const Tensor& gamma, double epsilon) {
  if (has_norm_kernel(x, gamma)) return normed(x, gamma, Tensor(), epsilon);
  return at::rms_norm(x.to(gamma.scalar_type()), {x.size(-1)}, gamma, epsilon).to(x.scalar_type());
}

}  // namespace dietmt::encoders
