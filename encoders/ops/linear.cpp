#include "encoders/ops/linear.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include <cmath>
#include <utility>

#include "encoders/ops/typed_linear.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Linear : torch::autograd::Function<Linear> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight,
                        const Tensor& bias) {
    context->save_for_backward({x, weight});
    // oneDNN would transpose the weights again for each new number of rows, and far more slowly.
    return fast_product(x, weight.t().contiguous(), bias);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const Tensor gradient = gradients[0].contiguous();
    Tensor grad_x, grad_weight, grad_bias;  // none of frozen parameters
    if (context->needs_input_grad(0)) grad_x = fast_product(gradient, saved[1]);
    if (context->needs_input_grad(1)) grad_weight = fast_transposed_product(gradient, saved[0]);
    if (context->needs_input_grad(2)) grad_bias = gradient.sum(0);
    return {grad_x, grad_weight, grad_bias};
  }
};

struct ReluNetwork : torch::autograd::Function<ReluNetwork> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& inner_weight,
                        const Tensor& inner_bias, const Tensor& outer_weight,
                        const Tensor& outer_bias) {
    const Tensor hidden = fast_relu_product(x, inner_weight.t().contiguous(), inner_bias);
    context->save_for_backward({x, hidden, inner_weight, outer_weight});
    return fast_product(hidden, outer_weight.t().contiguous(), outer_bias);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const Tensor &x = saved[0], &hidden = saved[1], &inner_weight = saved[2];
    const Tensor gradient = gradients[0].contiguous();
    Tensor grad_hidden = fast_product(gradient, saved[3]);
    at::threshold_backward_out(grad_hidden, grad_hidden, hidden, 0);
    Tensor grad_x, grad_inner, grad_inner_bias, grad_outer, grad_outer_bias;
    if (context->needs_input_grad(0)) grad_x = fast_product(grad_hidden, inner_weight);
    if (context->needs_input_grad(1)) grad_inner = fast_transposed_product(grad_hidden, x);
    if (context->needs_input_grad(2)) grad_inner_bias = grad_hidden.sum(0);
    if (context->needs_input_grad(3)) grad_outer = fast_transposed_product(gradient, hidden);
    if (context->needs_input_grad(4)) grad_outer_bias = gradient.sum(0);
    return {grad_x, grad_inner, grad_inner_bias, grad_outer, grad_outer_bias};
  }
};

bool uses_fast_products(const Tensor& x) { return has_fast_products(x, x.size(0)); }

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

Tensor call_onednn(const Tensor& a, const Tensor& b, const std::optional<Tensor>& bias,
                   const char* activation) {
  return onednn_linear()->call(a, b.t(), bias, activation, torch::List<std::optional<at::Scalar>>(),
                               "");
}

thread_local bool fixed_row_blocks = false;

bool uses_row_blocks(const Tensor& x) {
  return fixed_row_blocks && x.is_cpu() && x.scalar_type() == at::kFloat;
}

// The libraries choose the order of a sum by the number of rows, so each call gets as many.
Tensor linear_by_blocks(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  constexpr int64_t kRows = 128;
  const Tensor transposed = blas_is_fast() ? weight.t() : weight.t().contiguous();
  const int64_t rows = x.size(0), blocks = (rows + kRows - 1) / kRows;
  const Tensor filled = at::constant_pad_nd(x, {0, 0, 0, blocks * kRows - rows});
  Tensor output = at::empty({blocks * kRows, weight.size(0)}, x.options());
  for (int64_t first = 0; first < rows; first += kRows) {
    Tensor to = output.narrow(0, first, kRows);
    const Tensor block = filled.narrow(0, first, kRows);
    if (!blas_is_fast())
      to.copy_(fast_product(block, transposed, bias));
    else if (bias.defined())
      at::addmm_out(to, bias, block, transposed);
    else
      at::mm_out(to, block, transposed);
  }
  return output.narrow(0, 0, rows);
}

}  // namespace

FixedRowBlocks::FixedRowBlocks() : before_(std::exchange(fixed_row_blocks, true)) {}
FixedRowBlocks::~FixedRowBlocks() { fixed_row_blocks = before_; }

Tensor glorot(int64_t outputs, int64_t inputs) {
  const double bound = std::sqrt(6.0 / static_cast<double>(inputs + outputs));
  return torch::empty({outputs, inputs}).uniform_(-bound, bound);
}

Tensor linear_layer(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (has_typed_linear(x, weight))
    return typed_linear(x, weight, bias, Epilogue::kBias).branch.rows;
  if (uses_row_blocks(x)) return linear_by_blocks(x, weight, bias);
  if (!uses_fast_products(x)) return at::linear(x, weight, bias);
  return Linear::apply(x.contiguous(), weight, bias);
}

Fork linear_fork(const Tensor& x, const Tensor& weight, const Tensor& bias, Epilogue epilogue) {
  if (has_typed_linear(x, weight)) return typed_linear(x, weight, bias, epilogue);
  return {linear_layer(x, weight, bias), x};
}

Tensor relu_network(const Tensor& x, const LinearWeights& inner, const LinearWeights& outer) {
  if (has_typed_linear(x, inner.weight))
    return typed_relu_network(x, inner, outer, Epilogue::kBias).branch.rows;
  if (uses_row_blocks(x))
    return linear_by_blocks(linear_by_blocks(x, inner.weight, inner.bias).relu_(), outer.weight,
                            outer.bias);
  if (!uses_fast_products(x))
    return at::linear(at::linear(x, inner.weight, inner.bias).relu_(), outer.weight, outer.bias);
  return ReluNetwork::apply(x.contiguous(), inner.weight, inner.bias, outer.weight, outer.bias);
}

Fork relu_network_fork(const Tensor& x, const LinearWeights& inner, const LinearWeights& outer) {
  if (!has_typed_linear(x, inner.weight)) return {relu_network(x, inner, outer), x};
  return typed_relu_network(x, inner, outer, Epilogue::kLeaveBias);
}

bool has_fast_products(const Tensor& x, int64_t rows) {
  return rows >= kManyRows && x.is_cpu() && x.scalar_type() == at::kFloat &&
         onednn_linear().has_value();
}

Tensor fast_product(const Tensor& a, const Tensor& b, const std::optional<Tensor>& bias) {
  if (!onednn_linear()) return bias ? at::addmm(*bias, a, b) : at::mm(a, b);
  return call_onednn(a, b, bias, "none");
}

Tensor fast_relu_product(const Tensor& a, const Tensor& b, const Tensor& bias) {
  if (!onednn_linear()) return at::addmm(bias, a, b).relu_();
  return call_onednn(a, b, bias, "relu");
}

Tensor fast_transposed_product(const Tensor& a, const Tensor& b) {
  if (blas_is_fast() || !onednn_linear()) return at::mm(a.t(), b);
  // Wide products are faster than tall ones.
  if (a.size(1) <= b.size(1)) return fast_product(a.t(), b);
  return fast_product(b.t(), a).t().contiguous();
}

}  // namespace dietmt::encoders
