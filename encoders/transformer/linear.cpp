#include "encoders/transformer/linear.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/torch.h>

namespace dietmt::encoders {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// oneDNN prepares a product once for each number of rows, which takes milliseconds: only worth it
/// where a layer's products take long.
constexpr int64_t kLargeLayer = 512 * 512;

using Product = Tensor(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias,
                       c10::string_view activation, torch::List<std::optional<at::Scalar>> scalars,
                       std::optional<c10::string_view> algorithm);

/// LibTorch's way to oneDNN's x W^T + b; nothing where LibTorch was built without oneDNN.
const std::optional<c10::TypedOperatorHandle<Product>>& onednn_linear() {
  static const std::optional<c10::TypedOperatorHandle<Product>> found = [] {
    const auto schema = c10::Dispatcher::singleton().findSchema({"mkldnn::_linear_pointwise", ""});
    return schema ? std::optional(schema->typed<Product>()) : std::nullopt;
  }();
  return found;
}

Tensor product(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias) {
  return onednn_linear()->call(x, weight, bias, "none", torch::List<std::optional<at::Scalar>>(),
                               "");
}

struct Linear : torch::autograd::Function<Linear> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight,
                        const Tensor& bias) {
    context->save_for_backward({x, weight});
    return product(x, weight, bias);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const Tensor gradient = gradients[0].contiguous();
    Tensor grad_x;
    if (context->needs_input_grad(0)) grad_x = product(gradient, saved[1].t(), std::nullopt);
    return {grad_x, at::mm(gradient.t(), saved[0]), gradient.sum(0)};
  }
};

bool trains_large_layer(const Tensor& x, const Tensor& weight) {
  return at::GradMode::is_enabled() && weight.requires_grad() && x.is_cpu() &&
         x.scalar_type() == at::kFloat && !at::autocast::is_autocast_enabled(at::kCPU) &&
         weight.numel() >= kLargeLayer && onednn_linear();
}

}  // namespace

Tensor linear_layer(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (!trains_large_layer(x, weight)) return at::linear(x, weight, bias);
  return Linear::apply(x.contiguous(), weight, bias);
}

}  // namespace dietmt::encoders
