#include "encoders/ops/linear.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include "encoders/ops/matrix_products.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Linear : torch::autograd::Function<Linear> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight,
                        const Tensor& bias) {
    context->save_for_backward({x, weight});
    // oneDNN would transpose the weights anew for each new number of rows, and far slower.
    return fast_product(x, weight.t().contiguous(), bias);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const Tensor gradient = gradients[0].contiguous();
    Tensor grad_x;
    if (context->needs_input_grad(0)) grad_x = fast_product(gradient, saved[1]);
    return {grad_x, fast_transposed_product(gradient, saved[0]), gradient.sum(0)};
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
    Tensor grad_x;
    if (context->needs_input_grad(0)) grad_x = fast_product(grad_hidden, inner_weight);
    return {grad_x, fast_transposed_product(grad_hidden, x), grad_hidden.sum(0),
            fast_transposed_product(gradient, hidden), gradient.sum(0)};
  }
};

bool uses_fast_products(const Tensor& x) {
  return has_fast_products(x, x.size(0)) && !at::autocast::is_autocast_enabled(at::kCPU);
}

}  // namespace

Tensor linear_layer(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (!uses_fast_products(x)) return at::linear(x, weight, bias);
  return Linear::apply(x.contiguous(), weight, bias);
}

Tensor relu_network(const Tensor& x, const LinearWeights& inner, const LinearWeights& outer) {
  if (!uses_fast_products(x))
    return at::linear(at::linear(x, inner.weight, inner.bias).relu_(), outer.weight, outer.bias);
  return ReluNetwork::apply(x.contiguous(), inner.weight, inner.bias, outer.weight, outer.bias);
}

}  // namespace dietmt::encoders
