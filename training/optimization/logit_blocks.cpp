#include "training/optimization/logit_blocks.h"

#include <ATen/ATen.h>

#include <utility>
#include <vector>

#include "encoders/ops/linear.h"
#include "kernels/rowwise.h"

namespace dietmt::training {

using at::Tensor;

namespace {

// `Number`: that of the logits.
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

}  // namespace

int64_t block_rows_of(at::ScalarType type) {
  return 512 * 4 / static_cast<int64_t>(c10::elementSize(type));
}

BlockLoss block_loss(Tensor& logits, const Tensor& targets, double smoothing, bool gradient) {
  if (logits.is_cpu() && logits.scalar_type() == at::kFloat)
    return block_loss_cpu<float>(logits, targets, smoothing, gradient);
  if (logits.is_cpu() && logits.scalar_type() == at::kBFloat16)
    return block_loss_cpu<kernels::BFloat16>(logits, targets, smoothing, gradient);
  return block_loss_general(logits, targets, smoothing, gradient);
}

LogitProducts::LogitProducts(Tensor weight, int64_t largest, at::ScalarType sum_type, bool gradient)
    : weight_(std::move(weight)), fast_(encoders::has_fast_products(weight_, largest)) {
  transposed_ = fast_ ? weight_.t().contiguous() : weight_.t();
  if (gradient) grad_transposed_ = at::zeros_like(transposed_, sum_type);
}

void LogitProducts::add_grad_weight(const Tensor& grad_logits, const Tensor& rows) {
  if (!grad_transposed_.defined()) return;
  if (weight_.scalar_type() == grad_transposed_.scalar_type() && !fast_) {
    grad_transposed_.addmm_(rows.t(), grad_logits);
  } else {
    grad_transposed_.add_(product(rows.t(), grad_logits));
  }
}

Tensor LogitProducts::grad_weight() const {
  return grad_transposed_.defined() ? grad_transposed_.t().contiguous() : Tensor();
}

Tensor LogitProducts::product(const Tensor& a, const Tensor& b) const {
  return fast_ ? encoders::fast_product(a, b) : at::mm(a, b);
}

}  // namespace dietmt::training
