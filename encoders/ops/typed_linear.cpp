#include "encoders/ops/typed_linear.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/autograd/custom_function.h>

#include <utility>

#include "encoders/device/device.h"
#include "encoders/ops/bf16_products.h"
#include "encoders/ops/device_rows.h"
#include "encoders/ops/weight_copies.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The call without an activation, from x and weight.
kernels::DeviceLinear linear_call(const Tensor& x, const Tensor& weight, const Tensor& bias,
                                  const Tensor& output) {
  kernels::DeviceLinear call;
  call.type = element_type(x.scalar_type());
  call.rows = x.size(0);
  call.inputs = x.size(1);
  call.outputs = weight.size(0);
  call.x = x.const_data_ptr();
  call.weight = weight.const_data_ptr();
  if (bias.defined()) call.bias = bias.const_data_ptr();
  call.output = output.mutable_data_ptr();
  return call;
}

Tensor empty_product(const Tensor& x, const Tensor& weight) {
  return at::empty({x.size(0), weight.size(0)}, x.options().requires_grad(false));
}

// x W^T [+ bias]; all of one type.
Tensor typed_product(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const kernels::DeviceKernels* const device = row_kernels(x);
  if (device != nullptr && device->linear != nullptr) {
    const Tensor output = empty_product(x, weight);
    const c10::DeviceGuard guard(x.device());
    if (device->linear(linear_call(x, weight, bias, output))) return output;
  }
  if (has_bf16_products(x, weight)) return bf16_linear(x, bf16_panels_of_transposed(weight), bias);
  return bias.defined() ? at::addmm(bias, x, weight.t()) : at::mm(x, weight.t());
}

// max(0, x W^T + bias).
Tensor typed_relu_product(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const kernels::DeviceKernels* const device = row_kernels(x);
  if (device != nullptr && device->linear != nullptr) {
    const Tensor output = empty_product(x, weight);
    kernels::DeviceLinear call = linear_call(x, weight, bias, output);
    call.relu = true;
    const c10::DeviceGuard guard(x.device());
    if (device->linear(call)) return output;
  }
  if (has_bf16_products(x, weight))
    return bf16_linear(x, bf16_panels_of_transposed(weight), bias, true);
  return typed_product(x, weight, bias).relu_();
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

// The gradient before the ReLU that made `hidden`, in place of that of `hidden` on a device.
Tensor relu_gradient(const Tensor& hidden, const Tensor& grad_hidden) {
  const kernels::DeviceKernels* const device = row_kernels(hidden);
  if (device == nullptr || device->activate_backward == nullptr)
    return at::threshold_backward(grad_hidden, hidden, 0);
  kernels::DeviceActivateBackward call;
  call.forward.type = element_type(hidden.scalar_type());
  call.forward.activation = kernels::DeviceActivation::kRelu;
  call.forward.rows = hidden.size(0);
  call.forward.width = hidden.size(1);
  call.forward.x = hidden.const_data_ptr();  // positive where the ReLU's input is
  call.grad_output = grad_hidden.const_data_ptr();
  call.grad_x = grad_hidden.mutable_data_ptr();
  const c10::DeviceGuard guard(hidden.device());
  device->activate_backward(call);
  return grad_hidden;
}

// Where the sum of `so_far` and more may be written: nobody else reads it.
bool may_overwrite(const Tensor& so_far) {
  return so_far.defined() && so_far.use_count() == 1 && so_far.storage().use_count() == 1 &&
         so_far.is_contiguous();
}

LinearGradients linear_gradients_by_library(const kernels::DeviceKernels& device, const Tensor& x,
                                            const Tensor& weight, const Tensor& grad_output,
                                            const Tensor& so_far, const WantedGradients& wanted) {
  LinearGradients result;
  const auto fp32 = x.options().dtype(at::kFloat).requires_grad(false);
  if (wanted.x && so_far.defined()) {
    result.x = may_overwrite(so_far) ? so_far : so_far.clone(at::MemoryFormat::Contiguous);
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
  device.linear_backward(call);
  return result;
}

LinearGradients linear_gradients_in_bf16(const Tensor& x, const Tensor& weight,
                                         const Tensor& grad_output, const Tensor& so_far,
                                         const WantedGradients& wanted, bool relu) {
  LinearGradients result;
  if (wanted.x) {
    result.x = may_overwrite(so_far) ? so_far : at::empty_like(x);
    bf16_input_gradient(grad_output, bf16_panels(weight),
                        so_far.defined() ? so_far.contiguous() : so_far, relu ? x : Tensor(),
                        result.x);
  }
  if (wanted.weight) result.weight = bf16_weight_gradient(grad_output, x);
  if (wanted.bias) result.bias = bf16_column_sums(grad_output);
  return result;
}

// `so_far` is the part of the gradient of x that comes from elsewhere, or undefined; it may be
// written over if nobody else reads it. With `relu` a ReLU made x, and the gradient is that before
// the ReLU.
LinearGradients linear_gradients(const Tensor& x, const Tensor& weight, const Tensor& grad_output,
                                 const Tensor& so_far, const WantedGradients& wanted,
                                 bool relu = false) {
  const kernels::DeviceKernels* const device = row_kernels(x);
  const bool by_library = device != nullptr && device->linear_backward != nullptr;
  const bool in_bf16 = !by_library && has_bf16_products(x, weight);
  LinearGradients result;
  if (by_library) {
    result = linear_gradients_by_library(*device, x, weight, grad_output, so_far, wanted);
  } else if (in_bf16) {
    result = linear_gradients_in_bf16(x, weight, grad_output, so_far, wanted, relu);
  } else {
    if (wanted.x) {
      result.x = at::mm(grad_output, weight);
      if (so_far.defined()) result.x.add_(so_far);
    }
    if (wanted.weight) result.weight = transposed_product_in_fp32(grad_output, x);
    if (wanted.bias) result.bias = at::sum(grad_output, 0, false, at::kFloat);
  }
  if (relu && wanted.x && !in_bf16) result.x = relu_gradient(x, result.x);
  return result;
}

struct TypedLinear : torch::autograd::Function<TypedLinear> {
  static variable_list forward(AutogradContext* context, const Tensor& x, const Tensor& weight,
                               const std::optional<Tensor>& bias) {
    context->set_materialize_grads(false);
    const Tensor own_weight = weight_in(x.scalar_type(), weight);
    const Tensor own_bias = bias ? weight_in(x.scalar_type(), *bias) : Tensor();
    context->saved_data["has_bias"] = bias.has_value();
    context->save_for_backward({x, own_weight});
    return {typed_product(x, own_weight, own_bias), x};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const Tensor& of_input = gradients[1];
    if (!gradients[0].defined()) return {of_input, {}, {}};
    const variable_list saved = context->get_saved_variables();
    const LinearGradients found = linear_gradients(
        saved[0], saved[1], gradients[0].contiguous(), of_input,
        {context->needs_input_grad(0), context->needs_input_grad(1),
         context->saved_data["has_bias"].toBool() && context->needs_input_grad(2)});
    return {found.x, found.weight, found.bias};
  }
};

// max(0, x W1^T + b1) W2^T [+ b2], and x.
struct TypedReluNetwork : torch::autograd::Function<TypedReluNetwork> {
  static variable_list forward(AutogradContext* context, const Tensor& x,
                               const Tensor& inner_weight, const Tensor& inner_bias,
                               const Tensor& outer_weight,
                               const std::optional<Tensor>& outer_bias) {
    context->set_materialize_grads(false);
    const at::ScalarType type = x.scalar_type();
    const Tensor inner = weight_in(type, inner_weight), outer = weight_in(type, outer_weight);
    const Tensor hidden = typed_relu_product(x, inner, weight_in(type, inner_bias));
    context->saved_data["has_bias"] = outer_bias.has_value();
    context->save_for_backward({x, inner, hidden, outer});
    return {typed_product(hidden, outer, outer_bias ? weight_in(type, *outer_bias) : Tensor()), x};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const Tensor& of_input = gradients[1];
    if (!gradients[0].defined()) return {of_input, {}, {}, {}, {}};
    const variable_list saved = context->get_saved_variables();
    const Tensor &x = saved[0], &inner = saved[1], &hidden = saved[2], &outer = saved[3];
    const auto wants = [&](size_t input) { return context->needs_input_grad(input); };
    const LinearGradients of_outer =
        linear_gradients(hidden, outer, gradients[0].contiguous(), {},
                         {wants(0) || wants(1) || wants(2), wants(3),
                          context->saved_data["has_bias"].toBool() && wants(4)},
                         /*relu=*/true);
    LinearGradients of_inner;
    if (of_outer.x.defined())
      of_inner = linear_gradients(x, inner, of_outer.x, of_input, {wants(0), wants(1), wants(2)});
    return {of_inner.x, of_inner.weight, of_inner.bias, of_outer.weight, of_outer.bias};
  }
};

// [x, weights..., biases...]
struct TypedStackedLinear : torch::autograd::Function<TypedStackedLinear> {
  static Tensor forward(AutogradContext* context, const Tensor& x, at::TensorList weights,
                        at::TensorList biases) {
    const Tensor weight = stacked_weights_in(x.scalar_type(), weights);
    const Tensor bias = stacked_weights_in(x.scalar_type(), biases);
    context->save_for_backward({x, weight});
    std::vector<int64_t> rows;
    for (const Tensor& part : weights) rows.push_back(part.size(0));
    context->saved_data["rows"] = rows;
    return typed_product(x, weight, bias);
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

bool has_typed_linear(const Tensor& x, const Tensor& weight) {
  if (weight.scalar_type() != at::kFloat) return false;
  const at::ScalarType type = x.scalar_type();
  if (x.is_cpu()) return type == at::kBFloat16;
  return type == at::kFloat || type == at::kBFloat16 || type == at::kHalf;
}

Fork typed_linear(const Tensor& x, const Tensor& weight, const Tensor& bias, Epilogue epilogue) {
  const bool leaves_bias = epilogue == Epilogue::kLeaveBias && !x.is_cpu();
  const variable_list results =
      TypedLinear::apply(x.contiguous(), weight, if_defined(leaves_bias ? Tensor() : bias));
  return {{results[0], leaves_bias ? bias : Tensor()}, results[1]};
}

Fork typed_relu_network(const Tensor& x, const LinearWeights& inner, const LinearWeights& outer,
                        Epilogue epilogue) {
  const bool leaves_bias = epilogue == Epilogue::kLeaveBias && !x.is_cpu();
  const variable_list results =
      TypedReluNetwork::apply(x.contiguous(), inner.weight, inner.bias, outer.weight,
                              if_defined(leaves_bias ? Tensor() : outer.bias));
  return {{results[0], leaves_bias ? outer.bias : Tensor()}, results[1]};
}

Tensor stacked_linear(const Tensor& x, at::TensorList weights, at::TensorList biases) {
  return TypedStackedLinear::apply(x.contiguous(), weights, biases);
}

}  // namespace dietmt::encoders
