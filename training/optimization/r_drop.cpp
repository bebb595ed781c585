#include "training/optimization/r_drop.h"

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

// KL(P || Q) + KL(Q || P) over all rows, times their weights, and its gradients with respect to the
// logits of P and Q.
struct Divergence {
  Tensor sum;             // scalar
  Tensor grad_p, grad_q;  // [rows, V]
};

// d KL(P || Q) / d logits of P = P (log P/Q - KL(P || Q)); with respect to those of Q: Q - P.
Divergence divergence(const Tensor& p_logits, const Tensor& q_logits, const Tensor& row_weights,
                      at::ScalarType type) {
  const Tensor log_p = at::log_softmax(p_logits.to(type), 1);
  const Tensor log_q = at::log_softmax(q_logits.to(type), 1);
  const Tensor p = log_p.exp(), q = log_q.exp();
  const Tensor log_ratio = log_p - log_q;
  const Tensor of_p = (p * log_ratio).sum(1, true);   // KL(P || Q), [rows, 1]
  const Tensor of_q = -(q * log_ratio).sum(1, true);  // KL(Q || P)
  const Tensor difference = p - q;
  Divergence apart{of_p + of_q, (log_ratio - of_p).mul_(p).add_(difference),
                   (log_ratio + of_q).mul_(q).neg_().sub_(difference)};
  if (row_weights.defined())
    for (Tensor* const part : {&apart.sum, &apart.grad_p, &apart.grad_q})
      part->mul_(row_weights.unsqueeze(1));
  apart.sum = apart.sum.sum();
  return apart;
}

class LinearRDrop : public torch::autograd::Function<LinearRDrop> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& first, const Tensor& second,
                        const Tensor& weight, const std::optional<Tensor>& bias,
                        const Tensor& targets, const std::optional<Tensor>& token_weights,
                        double smoothing, double alpha, int64_t product_type, Tensor* all_sums) {
    const auto type = static_cast<at::ScalarType>(product_type);
    const auto sum_type = weight.scalar_type();
    OutputLayer output(weight, bias.value_or(Tensor()), type, first.size(0), true);
    Tensor grad_first = at::empty_like(first), grad_second = at::empty_like(second);
    Tensor sums = at::zeros({2}, first.options().dtype(at::kDouble));
    const RowTargets weighted{targets, token_weights.value_or(Tensor())};
    const int64_t block_rows = output.block_rows(first.is_cpu() ? type : sum_type);
    for (int64_t begin = 0; begin < first.size(0); begin += block_rows) {
      const int64_t rows = std::min(block_rows, first.size(0) - begin);
      const RowTargets block_targets = weighted.narrow(begin, rows);
      const auto logits_of = [&](const Tensor& hidden) {
        Tensor logits = output.products(hidden.narrow(0, begin, rows).to(type));  // [rows, V]
        if (bias || !logits.is_cpu()) logits = logits.to(sum_type);
        return bias ? logits.add_(*bias) : logits;
      };
      Tensor p = logits_of(first), q = logits_of(second);
      const Divergence apart = divergence(p, q, block_targets.weights, sum_type);
      sums[0].add_(apart.sum.to(at::kDouble), alpha / 4.0);
      const auto add_pass = [&](Tensor& logits, const Tensor& grad_apart, const Tensor& hidden,
                                Tensor& grad_hidden) {
        sums.add_(block_loss(logits, {}, block_targets, smoothing, true), 0.5);
        const Tensor gradient =
            logits.to(sum_type).mul(0.5).add_(grad_apart, alpha / 4.0);  // [rows, V]
        output.backward(gradient, hidden.narrow(0, begin, rows).to(type),
                        grad_hidden.narrow(0, begin, rows));
      };
      add_pass(p, apart.grad_p, first, grad_first);
      add_pass(q, apart.grad_q, second, grad_second);
    }
    context->save_for_backward({grad_first, grad_second, output.grad_weight(), output.grad_bias()});
    *all_sums = sums;
    return sums[0].to(sum_type);
  }

  static tensor_list backward(AutogradContext* context, tensor_list grads) {
    const auto saved = context->get_saved_variables();
    tensor_list arguments(10);  // undefined: no gradient
    for (size_t i = 0; i < saved.size(); ++i)
      if (saved[i].defined()) arguments[i] = scaled_gradient(saved[i], grads[0]);
    return arguments;
  }
};

}  // namespace

LossSums linear_r_drop(const Tensor& first, const Tensor& second, const Tensor& weight,
                       const Tensor& targets, double smoothing, double alpha,
                       at::ScalarType product_type, const Tensor& bias,
                       const Tensor& token_weights) {
  LossSums sums;
  sums.smoothed = LinearRDrop::apply(
      first.contiguous(), second.contiguous(), weight, if_defined(bias), targets,
      if_defined(token_weights), smoothing, alpha, static_cast<int64_t>(product_type), &sums.sums);
  return sums;
}

}  // namespace dietmt::training
