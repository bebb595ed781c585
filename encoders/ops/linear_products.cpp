#include "encoders/ops/linear_products.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/DeviceGuard.h>

#include <optional>

#include "encoders/device/device.h"
#include "encoders/ops/bf16_products.h"
#include "encoders/ops/row_kernels.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;

// Below, what oneDNN prepares for a product of new sizes takes longer than the product.
constexpr int64_t kManyRows = 64;

using LinearOperator = Tensor(const Tensor& x, const Tensor& weight,
                              const std::optional<Tensor>& bias, c10::string_view activation,
                              torch::List<std::optional<at::Scalar>> scalars,
                              std::optional<c10::string_view> algorithm);

// LibTorch's way to oneDNN's x W^T + b; nothing where LibTorch was built without oneDNN.
const std::optional<c10::TypedOperatorHandle<LinearOperator>>& onednn_linear() {
  static const std::optional<c10::TypedOperatorHandle<LinearOperator>> found = [] {
    const auto schema = c10::Dispatcher::singleton().findSchema({"mkldnn::_linear_pointwise", ""});
    return schema ? std::optional(schema->typed<LinearOperator>()) : std::nullopt;
  }();
  return found;
}

// The BLAS library uses AVX-512 on its maker's processors. There it is as fast as oneDNN, and needs
// no transposed copy beforehand.
bool blas_is_fast() {
#if defined(__x86_64__)
  static const bool intel = __builtin_cpu_is("intel");
  return intel;
#else
  return false;
#endif
}

Tensor call_onednn(const Tensor& a, const Tensor& b, const Tensor& bias, const char* activation) {
  return onednn_linear()->call(a, b.t(), bias.defined() ? std::optional(bias) : std::nullopt,
                               activation, torch::List<std::optional<at::Scalar>>(), "");
}

Tensor product(const Tensor& a, const Tensor& b, const Tensor& bias = {}) {
  return bias.defined() ? at::addmm(bias, a, b) : at::mm(a, b);
}

// The type of parameters of layers that compute in this type.
at::ScalarType parameter_type(const Tensor& x) {
  return at::promote_types(x.scalar_type(), at::kFloat);
}

// a^T b.
Tensor transposed_product(const Tensor& a, const Tensor& b) {
  const at::ScalarType type = parameter_type(a);
  if (a.scalar_type() == type) return at::mm(a.t(), b);
  static const auto wide = c10::Dispatcher::singleton().findSchema({"aten::mm", "dtype"});
  const auto key = c10::computeDispatchKey(std::nullopt, std::nullopt, a.device());
  if (wide && wide->hasKernelForDispatchKey(key)) return at::mm(a.t(), b, type);
  return at::mm(a.t(), b).to(type);
}

Tensor forward_by_aten(const Tensor& x, const Tensor& weight, const Tensor& bias, bool relu) {
  Tensor output = product(x, weight.t(), bias);
  return relu ? output.relu_() : output;
}

// oneDNN would transpose the weights again for each new number of rows, and far more slowly.
Tensor forward_by_onednn(const Tensor& x, const Tensor& weight, const Tensor& bias, bool relu) {
  return call_onednn(x, weight.t().contiguous(), bias, relu ? "relu" : "none");
}

template <auto kProduct, auto kTransposedProduct>
LinearGradients backward_by(const LinearBackward& call) {
  LinearGradients result;
  if (call.wants_x) {
    result.x = kProduct(call.grad_output, call.weight, {});
    if (call.so_far.defined()) result.x.add_(call.so_far);
    if (call.relu) at::threshold_backward_out(result.x, result.x, call.x, 0);
  }
  if (call.wants_weight) result.weight = kTransposedProduct(call.grad_output, call.x);
  if (call.wants_bias)
    result.bias = at::sum(call.grad_output, 0, false, parameter_type(call.grad_output));
  return result;
}

constexpr auto backward_by_aten = backward_by<product, transposed_product>;

Tensor forward_in_bf16(const Tensor& x, const Tensor& weight, const Tensor& bias, bool relu) {
  return bf16_linear(x, bf16_panels_of_transposed(weight), bias, relu);
}

// Where the sum of `so_far` and more may be written: nobody else reads it.
bool may_overwrite(const Tensor& so_far) {
  return so_far.defined() && so_far.use_count() == 1 && so_far.storage().use_count() == 1 &&
         so_far.is_contiguous();
}

LinearGradients backward_in_bf16(const LinearBackward& call) {
  LinearGradients result;
  const Tensor& so_far = call.so_far;
  if (call.wants_x) {
    result.x = may_overwrite(so_far) ? so_far : at::empty_like(call.x);
    bf16_input_gradient(call.grad_output, bf16_panels(call.weight),
                        so_far.defined() ? so_far.contiguous() : so_far,
                        call.relu ? call.x : Tensor(), result.x);
  }
  if (call.wants_weight) result.weight = bf16_weight_gradient(call.grad_output, call.x);
  if (call.wants_bias) result.bias = bf16_column_sums(call.grad_output);
  return result;
}

Tensor forward_on_device(const Tensor& x, const Tensor& weight, const Tensor& bias, bool relu) {
  const kernels::DeviceKernels& device = *row_kernels(x);
  if (device.linear != nullptr) {
    const Tensor output = at::empty({x.size(0), weight.size(0)}, x.options().requires_grad(false));
    const c10::DeviceGuard guard(x.device());
    if (device.linear({.type = element_type(x.scalar_type()),
                       .rows = x.size(0),
                       .inputs = x.size(1),
                       .outputs = weight.size(0),
                       .x = x.const_data_ptr(),
                       .weight = weight.const_data_ptr(),
                       .bias = numbers_of<void>(bias),
                       .relu = relu,
                       .output = output.mutable_data_ptr()}))
      return output;
    if (relu) return forward_on_device(x, weight, bias, false).relu_();
  }
  return forward_by_aten(x, weight, bias, relu);
}

LinearGradients backward_on_device(const LinearBackward& call) {
  const Tensor &x = call.x, &weight = call.weight, &so_far = call.so_far;
  const kernels::DeviceKernels& device = *row_kernels(x);
  if (device.linear_backward == nullptr || device.activate_backward == nullptr)
    return backward_by_aten(call);
  LinearGradients result;
  const auto fp32 = x.options().dtype(at::kFloat).requires_grad(false);
  if (call.wants_x && so_far.defined()) {
    result.x = may_overwrite(so_far) ? so_far : so_far.clone(at::MemoryFormat::Contiguous);
  } else if (call.wants_x) {
    result.x = at::empty_like(x);
  }
  if (call.wants_weight) result.weight = at::empty(weight.sizes(), fp32);
  if (call.wants_bias) result.bias = at::empty({weight.size(0)}, fp32);
  const c10::DeviceGuard guard(x.device());
  device.linear_backward({.type = element_type(x.scalar_type()),
                          .rows = x.size(0),
                          .inputs = x.size(1),
                          .outputs = weight.size(0),
                          .x = x.const_data_ptr(),
                          .weight = weight.const_data_ptr(),
                          .grad_output = call.grad_output.const_data_ptr(),
                          .grad_x = numbers_to<void>(result.x),
                          .add_to_grad_x = call.wants_x && so_far.defined(),
                          .grad_weight = numbers_to(result.weight),
                          .grad_bias = numbers_to(result.bias)});
  if (call.relu && call.wants_x)
    device.activate_backward({.forward = {.type = element_type(x.scalar_type()),
                                          .activation = kernels::Activation::kRelu,
                                          .rows = x.size(0),
                                          .width = x.size(1),
                                          .x = x.const_data_ptr(),  // positive where its input is
                                          .dropout = {}},
                              .grad_output = result.x.const_data_ptr(),
                              .grad_x = result.x.mutable_data_ptr()});
  return result;
}

}  // namespace

const LinearProducts& linear_products(const Tensor& x, const Tensor& weight) {
  static constexpr LinearProducts kOnDevice = {forward_on_device, backward_on_device};
  static constexpr LinearProducts kInBf16 = {forward_in_bf16, backward_in_bf16};
  static constexpr LinearProducts kByOnednn = {forward_by_onednn,
                                               backward_by<fast_product, fast_transposed_product>};
  static constexpr LinearProducts kByAten = {forward_by_aten, backward_by_aten};
  if (!x.is_cpu()) return row_kernels(x) != nullptr ? kOnDevice : kByAten;
  if (has_bf16_products(x, weight)) return kInBf16;
  return has_fast_products(x, x.size(0)) ? kByOnednn : kByAten;
}

bool has_fast_products(const Tensor& x, int64_t rows) {
  return rows >= kManyRows && x.is_cpu() && x.scalar_type() == at::kFloat &&
         onednn_linear().has_value();
}

Tensor fast_product(const Tensor& a, const Tensor& b, const Tensor& bias) {
  return onednn_linear() ? call_onednn(a, b, bias, "none") : product(a, b, bias);
}

Tensor fast_transposed_product(const Tensor& a, const Tensor& b) {
  if (blas_is_fast() || !onednn_linear()) return at::mm(a.t(), b);
  // Wide products are faster than tall ones.
  if (a.size(1) <= b.size(1)) return fast_product(a.t(), b);
  return fast_product(b.t(), a).t().contiguous();
}

}  // namespace dietmt::encoders
