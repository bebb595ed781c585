#include "encoders/transformer/linear.h"

#include <ATen/autocast_mode.h>
#include <torch/torch.h>

#include "encoders/transformer/matrix_products.h"

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

}  // namespace

Tensor linear_layer(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (!has_fast_products(x, x.size(0)) || at::autocast::is_autocast_enabled(at::kCPU))
    return at::linear(x, weight, bias);
  return Linear::apply(x.contiguous(), weight, bias);
}

}  // namespace dietmt::encoders
