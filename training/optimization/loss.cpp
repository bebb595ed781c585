#include "training/optimization/loss.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "training/optimization/logit_blocks.h"

namespace dietmt::training {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

class LinearCrossEntropy : public torch::autograd::Function<LinearCrossEntropy> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& hidden, const Tensor& weight,
                        const std::optional<Tensor>& bias, const Tensor& targets,
                        const std::optional<Tensor>& token_weights, double smoothing,
                        int64_t product_type, bool gradient, Tensor* all_sums) {
    const auto type = static_cast<at::ScalarType>(product_type);
    const Tensor added = bias.value_or(Tensor());
    const RowTargets weighted{targets, token_weights.value_or(Tensor())};
    OutputLayer output(weight, added, type, hidden.size(0), gradient);
    Tensor grad_hidden = gradient ? at::empty_like(hidden) : Tensor();
    Tensor sums;
    const int64_t block_rows = output.block_rows(type);
    for (int64_t begin = 0; begin < hidden.size(0); begin += block_rows) {
      const int64_t rows = std::min(block_rows, hidden.size(0) - begin);
      const Tensor block = hidden.narrow(0, begin, rows).to(type);
      Tensor logits = output.products(block);  // [rows, V]
      const Tensor of_block =
          block_loss(logits, added, weighted.narrow(begin, rows), smoothing, gradient);
      sums = sums.defined() ? sums.add_(of_block) : of_block;
      if (gradient) output.backward(logits, block, grad_hidden.narrow(0, begin, rows));
    }
    if (gradient)
      context->save_for_backward({grad_hidden, output.grad_weight(), output.grad_bias()});
    if (!sums.defined()) sums = at::zeros({2}, hidden.options().dtype(at::kDouble));
    *all_sums = sums;
    return sums[0].to(weight.scalar_type());
  }

  static tensor_list backward(AutogradContext* context, tensor_list grads) {
    const auto saved = context->get_saved_variables();
    tensor_list arguments(9);  // undefined: no gradient
    for (size_t i = 0; i < saved.size(); ++i)
      if (saved[i].defined()) arguments[i] = scaled_gradient(saved[i], grads[0]);
    return arguments;
  }
};

}  // namespace

Tensor unit_gradient(const at::TensorOptions& options) {
  static std::mutex mutex;
  // Never destroyed: the device may be gone when the program exits.
  static auto& units = *new std::map<std::pair<std::string, at::ScalarType>, Tensor>;
  const std::lock_guard lock(mutex);
  Tensor& unit = units[{options.device().str(), c10::typeMetaToScalarType(options.dtype())}];
  if (!unit.defined()) unit = at::ones({}, options.requires_grad(false));
  return unit;
}

Tensor scaled_gradient(const Tensor& stored, const Tensor& of_loss) {
  return of_loss.is_same(unit_gradient(of_loss.options())) ? stored : stored * of_loss;
}

void LossSums::backward() const { smoothed.backward(unit_gradient(smoothed.options())); }

LossSums linear_cross_entropy(const Tensor& hidden, const Tensor& weight, const Tensor& targets,
                              double smoothing, at::ScalarType product_type, const Tensor& bias,
                              const Tensor& token_weights) {
  LossSums sums;
  const std::optional<Tensor> given_bias = if_defined(bias);
  const bool gradient =
      at::GradMode::is_enabled() && (hidden.requires_grad() || weight.requires_grad() ||
                                     (given_bias && given_bias->requires_grad()));
  sums.smoothed = LinearCrossEntropy::apply(
      hidden.contiguous(), weight, given_bias, targets, if_defined(token_weights), smoothing,
      static_cast<int64_t>(product_type), gradient, &sums.sums);
  return sums;
}

}  // namespace dietmt::training
