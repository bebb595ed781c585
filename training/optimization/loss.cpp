#include "training/optimization/loss.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <optional>

#include "training/optimization/logit_blocks.h"

namespace dietmt::training {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

class LinearCrossEntropy : public torch::autograd::Function<LinearCrossEntropy> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& hidden, const Tensor& weight,
                        const std::optional<Tensor>& bias, const Tensor& targets, double smoothing,
                        int64_t product_type, bool gradient, double* target_loss) {
    const auto type = static_cast<at::ScalarType>(product_type);
    // `largest` counts rows of fp32, whatever the type.
    const int64_t largest = std::min(block_rows_of(at::kFloat), hidden.size(0));
    LogitProducts products(weight.to(type), largest, weight.scalar_type(),
                           gradient && weight.requires_grad());
    Tensor grad_hidden = gradient ? at::empty_like(hidden) : Tensor();
    Tensor grad_bias = gradient && bias ? at::zeros_like(*bias) : Tensor();
    double smoothed = 0;
    const int64_t block_rows = block_rows_of(type);
    for (int64_t begin = 0; begin < hidden.size(0); begin += block_rows) {
      const int64_t rows = std::min(block_rows, hidden.size(0) - begin);
      const Tensor block = hidden.narrow(0, begin, rows).to(type);
      const Tensor block_targets = targets.narrow(0, begin, rows);
      Tensor logits = products.logits(block);  // [rows, V]
      if (bias || !logits.is_cpu()) logits = logits.to(hidden.scalar_type());
      if (bias) logits.add_(*bias);
      const BlockLoss sums = block_loss(logits, block_targets, smoothing, gradient);
      smoothed += sums.smoothed;
      *target_loss += sums.target;
      if (!gradient) continue;
      if (bias) grad_bias.add_(logits.sum(0));
      logits = logits.to(type);
      grad_hidden.narrow(0, begin, rows).copy_(products.grad_rows(logits));
      products.add_grad_weight(logits, block);
    }
    if (gradient) context->save_for_backward({grad_hidden, products.grad_weight(), grad_bias});
    return at::full({}, smoothed, hidden.options());
  }

  static tensor_list backward(AutogradContext* context, tensor_list grads) {
    const auto saved = context->get_saved_variables();
    tensor_list arguments(8);  // undefined: no gradient
    for (size_t i = 0; i < saved.size(); ++i)
      if (saved[i].defined()) arguments[i] = saved[i] * grads[0];
    return arguments;
  }
};

}  // namespace

LossSums linear_cross_entropy(const Tensor& hidden, const Tensor& weight, const Tensor& targets,
                              double smoothing, at::ScalarType product_type, const Tensor& bias) {
  LossSums sums;
  // An autograd function takes no undefined tensors.
  const std::optional<Tensor> given_bias = bias.defined() ? std::optional(bias) : std::nullopt;
  const bool gradient =
      at::GradMode::is_enabled() && (hidden.requires_grad() || weight.requires_grad() ||
                                     (given_bias && given_bias->requires_grad()));
  sums.smoothed =
      LinearCrossEntropy::apply(hidden.contiguous(), weight, given_bias, targets, smoothing,
                                static_cast<int64_t>(product_type), gradient, &sums.target_loss);
  return sums;
}

}  // namespace dietmt::training
