#include "encoders/ops/device_linear.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/autograd/custom_function.h>

#include <utility>

#include "encoders/device/device.h"
#include "encoders/ops/device_rows.h"
#include "encoders/ops/weight_copies.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// x W^T [+ bias, relu]; all of one type.
Tensor device_product(const Tensor& x, const Tensor& weight, const Tensor& bias, bool relu) {
  const kernels::DeviceKernels* const device = row_kernels(x);
  if (device == nullptr || device->linear == nullptr) {
    const Tensor product = bias.defined() ? at::addmm(bias, x, weight.t()) : at::mm(x, weight.t());
    return relu ? Tensor(product).relu_() : product;
  }
  const Tensor output = at::empty({x.size(0), weight.size(0)}, x.options().requires_grad(false));
  kernels::DeviceLinear call;
  call.type = element_type(x.scalar_type());
  call.rows = x.size(0);
  call.inputs = x.size(1);
  call.outputs = weight.size(0);
  call.x = x.const_data_ptr();
  call.weight = weight.const_data_ptr();
  if (bias.defined()) call.bias = bias.const_data_ptr();
  call.relu = relu;
  call.output = output.mutable_data_ptr();
  const c10::DeviceGuard guard(x.device());
  device->linear(call);
  return output;
}

// a^T b in fp32.
Tensor transposed_product_in_fp32(const Tensor& a, const Tensor& b) {
  if (a.scalar_type() == at::kFloat) return at::mm(a.t(), b);
  static const auto wide = c10::Dispatcher::singleton().findSchema({"aten::mm", "dtype"});
  const auto key = c10::computeDispatchKey(std::nullopt, std::nullopt, a.device());
  if (wide && wide->hasKernelForDispatchKey(key)) return at::mm(a.t(), b, at::kFloat);
  return at::mm(a.t(), b).to(at::kFloat);
}

struct LinearGradients {
  Tensor x, weight, bias;
};

struct WantedGradients {
  bool x = false, weight = false, bias = false;
};

// `so_far` is the part of the gradient of x that comes from elsewhere, or undefined; it may be
// written over if nobody else reads it.
LinearGradients linear_gradients(const Tensor& x, const Tensor& weight, const Tensor& grad_output,
                                 const Tensor& so_far, const WantedGradients& wanted) {
  LinearGradients result;
  const kernels::DeviceKernels* const device = row_kernels(x);
  if (device == nullptr || device->linear_backward == nullptr) {
    if (wanted.x) {
      result.x = at::mm(grad_output, weight);
      if (so_far.defined()) result.x.add_(so_far);
    }
    if (wanted.weight) result.weight = transposed_product_in_fp32(grad_output, x);
    if (wanted.bias) result.bias = at::sum(grad_output, 0, false, at::kFloat);
    return result;
  }
  const auto fp32 = x.options().dtype(at::kFloat).requires_grad(false);
  if (wanted.x && so_far.defined()) {
    const bool owned = so_far.use_count() == 1 && so_far.storage().use_count() == 1;
    result.x =
        owned && so_far.is_contiguous() ? so_far : so_far.clone(at::MemoryFormat::Contiguous);
  } else if (wanted.x) {
    result.x = at::empty_like(x);
  }
  if (wanted.weight) result.weight = at::empty(weight.sizes(), fp32);
  if (wanted.bias) result.bias = at::empty({weight.size(0)}, fp32);
  kernels::DeviceLinearBackward call;
  call.type = element_type(x.scalar_type());
  call.rows = x.size(0);
  call.inputs = x.size(1);
  call.outputs = weight.size(0);
  call.x = x.const_data_ptr();
  call.weight = weight.const_data_ptr();
  call.grad_output = grad_output.const_data_ptr();
  if (wanted.x) call.grad_x = result.x.mutable_data_ptr();
  call.add_to_grad_x = wanted.x && so_far.defined();
  if (wanted.weight) call.grad_weight = result.weight.mutable_data_ptr<float>();
  if (wanted.bias) call.grad_bias = result.bias.mutable_data_ptr<float>();
  const c10::DeviceGuard guard(x.device());
  device->linear_backward(call);
  return result;
}

// In fp32 with the gradient of its bias, which is undefined if that is not wanted.
std::pair<Tensor, Tensor> relu_gradient(const Tensor& output, const Tensor& grad_output,
                                        bool wants_bias) {
  const kernels::DeviceKernels* const device = row_kernels(output);
  if (device == nullptr || device->activate_backward == nullptr) {
    const Tensor gradient = at::threshold_backward(grad_output, output, 0);
    return {gradient, wants_bias ? at::sum(gradient, 0, false, at::kFloat) : Tensor()};
  }
  // The output is positive where the input is.
  kernels::DeviceActivate forward;
  forward.type = element_type(output.scalar_type());
  forward.activation = kernels::DeviceActivation::kRelu;
  forward.rows = output.size(0);
  forward.width = output.size(1);
  forward.x = output.const_data_ptr();
  Tensor grad_bias;
  const Tensor gradient =
      device_activation_gradient(forward, grad_output, wants_bias ? &grad_bias : nullptr);
  return {gradient, grad_bias};
}

struct DeviceLinear : torch::autograd::Function<DeviceLinear> {
  static variable_list forward(AutogradContext* context, const Tensor& x, const Tensor& weight,
                               const std::optional<Tensor>& bias, bool relu) {
    context->set_materialize_grads(false);
    const Tensor own_weight = weight_in(x.scalar_type(), weight);
    const Tensor own_bias = bias ? weight_in(x.scalar_type(), *bias) : Tensor();
    context->saved_data["has_bias"] = bias.has_value();
    const Tensor output = device_product(x, own_weight, own_bias, relu);
    context->save_for_backward({x, own_weight, relu ? output : Tensor()});
    return {output, x};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const Tensor& of_input = gradients[1];
    if (!gradients[0].defined()) return {of_input, {}, {}, {}};
    const variable_list saved = context->get_saved_variables();
    Tensor grad_output = gradients[0].contiguous();
    WantedGradients wanted{
        context->needs_input_grad(0), context->needs_input_grad(1),
        context->saved_data["has_bias"].toBool() && context->needs_input_grad(2)};
    Tensor grad_bias;
    if (saved[2].defined()) {
      std::tie(grad_output, grad_bias) = relu_gradient(saved[2], grad_output, wanted.bias);
      wanted.bias = false;
    }
    const LinearGradients found =
        linear_gradients(saved[0], saved[1], grad_output, of_input, wanted);
    return {found.x, found.weight, grad_bias.defined() ? grad_bias : found.bias, {}};
  }
};

// [x, weights..., biases...]
struct DeviceStackedLinear : torch::autograd::Function<DeviceStackedLinear> {
  static Tensor forward(AutogradContext* context, const Tensor& x, at::TensorList weights,
                        at::TensorList biases) {
    const Tensor weight = stacked_weights_in(x.scalar_type(), weights);
    const Tensor bias = stacked_weights_in(x.scalar_type(), biases);
    context->save_for_backward({x, weight});
    std::vector<int64_t> rows;
    for (const Tensor& part : weights) rows.push_back(part.size(0));
    context->saved_data["rows"] = rows;
    return device_product(x, weight, bias, false);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const std::vector<int64_t> rows = context->saved_data["rows"].toIntVector();
    const size_t parts = rows.size();
    WantedGradients wanted{.x = context->needs_input_grad(0)};
    for (size_t i = 0; i < parts; ++i) {
      wanted.weight = wanted.weight || context->needs_input_grad(1 + i);
      wanted.bias = wanted.bias || context->needs_input_grad(1 + parts + i);
    }
    const LinearGradients found =
        linear_gradients(saved[0], saved[1], gradients[0].contiguous(), {}, wanted);
    variable_list results(1 + 2 * parts);
    results[0] = found.x;
    int64_t begin = 0;
    for (size_t i = 0; i < parts; ++i) {
      if (context->needs_input_grad(1 + i)) results[1 + i] = found.weight.narrow(0, begin, rows[i]);
      if (context->needs_input_grad(1 + parts + i))
        results[1 + parts + i] = found.bias.narrow(0, begin, rows[i]);
      begin += rows[i];
    }
    return results;
  }
};

}  // namespace

bool has_device_linear(const Tensor& x, const Tensor& weight) {
  if (x.is_cpu() || weight.scalar_type() != at::kFloat) return false;
  const at::ScalarType type = x.scalar_type();
  return type == at::kFloat || type == at::kBFloat16 || type == at::kHalf;
}

Fork device_linear(const Tensor& x, const Tensor& weight, const Tensor& bias, Epilogue epilogue) {
  const bool leaves_bias = epilogue == Epilogue::kLeaveBias;
  const variable_list results =
      DeviceLinear::apply(x.contiguous(), weight, if_defined(leaves_bias ? Tensor() : bias),
                          epilogue == Epilogue::kRelu);
  return {{results[0], leaves_bias ? bias : Tensor()}, results[1]};
}

Tensor stacked_linear(const Tensor& x, at::TensorList weights, at::TensorList biases) {
  return DeviceStackedLinear::apply(x.contiguous(), weights, biases);
}

}  // namespace dietmt::encoders
