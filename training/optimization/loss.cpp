#include "training/optimization/loss.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>

#include "encoders/ops/linear.h"
#include "kernels/rowwise.h"

namespace dietmt::training {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// Size of the block of logits in fp32: large enough for matrix products at full speed.
constexpr int64_t kBlockRows = 512;

struct BlockLoss {
  double smoothed = 0;
  double target = 0;
};

// The loss of one block; if `gradient`, logits [rows, V] become its gradient. `Number`: that of the
// logits.
template <typename Number>
BlockLoss block_loss_cpu(Tensor& logits, const Tensor& targets, double smoothing, bool gradient) {
  const int64_t rows = logits.size(0);
  std::vector<double> losses(static_cast<size_t>(rows));
  std::vector<double> target_losses(static_cast<size_t>(rows));
  kernels::CrossEntropy<Number> call;
  call.rows = rows;
  call.classes = logits.size(1);
  call.logits = static_cast<Number*>(logits.data_ptr());
  call.targets = targets.const_data_ptr<int64_t>();
  call.smoothing = smoothing;
  call.gradient = gradient;
  call.losses = losses.data();
  call.target_losses = target_losses.data();
  kernels::cross_entropy(call);
  BlockLoss sums;
  for (const double loss : losses) sums.smoothed += loss;
  for (const double loss : target_losses) sums.target += loss;
  return sums;
}

// The same by tensor algebra, for other types and devices.
BlockLoss block_loss_general(Tensor& logits, const Tensor& targets, double smoothing,
                             bool gradient) {
  const auto classes = static_cast<double>(logits.size(1));
  const Tensor log_probabilities = at::log_softmax(logits, 1);
  const Tensor target_loss = -log_probabilities.gather(1, targets.unsqueeze(1)).sum();
  const Tensor uniform_loss = -log_probabilities.sum() / classes;
  BlockLoss sums;
  sums.target = target_loss.item<double>();
  sums.smoothed = (1.0 - smoothing) * sums.target + smoothing * uniform_loss.item<double>();
  if (gradient) {
    logits = log_probabilities.exp().sub_(smoothing / classes);
    logits.scatter_add_(1, targets.unsqueeze(1),
                        at::full({targets.size(0), 1}, smoothing - 1.0, logits.options()));
  }
  return sums;
}

BlockLoss block_loss(Tensor& logits, const Tensor& targets, double smoothing, bool gradient) {
  if (logits.is_cpu() && logits.scalar_type() == at::kFloat)
    return block_loss_cpu<float>(logits, targets, smoothing, gradient);
  if (logits.is_cpu() && logits.scalar_type() == at::kBFloat16)
    return block_loss_cpu<kernels::BFloat16>(logits, targets, smoothing, gradient);
  return block_loss_general(logits, targets, smoothing, gradient);
}

// The products of blocks of rows [rows, D] with the weight [V, D], and the sum of its gradients.
class Products {
 public:
  Products(Tensor weight, int64_t block_rows, at::ScalarType sum_type, bool gradient)
      : weight_(std::move(weight)), fast_(encoders::has_fast_products(weight_, block_rows)) {
    transposed_ = fast_ ? weight_.t().contiguous() : weight_.t();
    if (gradient) grad_transposed_ = at::zeros_like(transposed_, sum_type);
  }

  Tensor logits(const Tensor& rows) const { return product(rows, transposed_); }

  Tensor grad_rows(const Tensor& grad_logits) const { return product(grad_logits, weight_); }

  void add_grad_weight(const Tensor& grad_logits, const Tensor& rows) {
    if (weight_.scalar_type() == grad_transposed_.scalar_type() && !fast_) {
      grad_transposed_.addmm_(rows.t(), grad_logits);
    } else {
      grad_transposed_.add_(product(rows.t(), grad_logits));
    }
  }

  Tensor grad_weight() const { return grad_transposed_.t().contiguous(); }

 private:
  Tensor product(const Tensor& a, const Tensor& b) const {
    return fast_ ? encoders::fast_product(a, b) : at::mm(a, b);
  }

  Tensor weight_;
  bool fast_;
  Tensor transposed_;       // [D, V]
  Tensor grad_transposed_;  // [D, V]
};

class LinearCrossEntropy : public torch::autograd::Function<LinearCrossEntropy> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& hidden, const Tensor& weight,
                        const std::optional<Tensor>& bias, const Tensor& targets, double smoothing,
                        int64_t product_type, bool gradient, double* target_loss) {
    const auto type = static_cast<at::ScalarType>(product_type);
    Products products(weight.to(type), std::min(kBlockRows, hidden.size(0)), weight.scalar_type(),
                      gradient);
    Tensor grad_hidden = gradient ? at::empty_like(hidden) : Tensor();
    Tensor grad_bias = gradient && bias ? at::zeros_like(*bias) : Tensor();
    double smoothed = 0;
    const int64_t block_rows = kBlockRows * 4 / static_cast<int64_t>(c10::elementSize(type));
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
