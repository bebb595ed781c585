#include "training/optimization/logit_blocks.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "encoders/device/device.h"
#include "encoders/ops/linear_products.h"
#include "encoders/ops/weight_copies.h"
#include "kernels/rowwise.h"

namespace dietmt::training {

using at::Tensor;

namespace {

bool has_element_type(at::ScalarType type) {
  return type == at::kFloat || type == at::kBFloat16 || type == at::kHalf;
}

constexpr int64_t kBf16BlockRows = 256;  // whose logits stay in the cache

int64_t host_block_rows(at::ScalarType type) {
  return 512 * 4 / static_cast<int64_t>(c10::elementSize(type));
}

// `Number`: type of the logits.
template <typename Number>
Tensor block_loss_cpu(Tensor& logits, const RowTargets& targets, double smoothing, bool gradient) {
  const int64_t rows = logits.size(0);
  std::vector<double> losses(static_cast<size_t>(rows));
  std::vector<double> target_losses(static_cast<size_t>(rows));
  kernels::CrossEntropy<Number> call;
  call.rows = rows;
  call.classes = logits.size(1);
  call.logits = static_cast<Number*>(logits.data_ptr());
  call.targets = targets.classes.const_data_ptr<int64_t>();
  call.smoothing = smoothing;
  call.gradient = gradient;
  call.losses = losses.data();
  call.target_losses = target_losses.data();
  call.weights = targets.factors();
  kernels::row_kernels().cross_entropy(call);
  double smoothed = 0, target = 0;
  for (const double loss : losses) smoothed += loss;
  for (const double loss : target_losses) target += loss;
  return at::tensor({smoothed, target});
}

Tensor block_loss_fused(const kernels::DeviceKernels& kernels, Tensor& logits, const Tensor& bias,
                        const RowTargets& targets, double smoothing, bool gradient) {
  const Tensor losses = at::empty({logits.size(0), 2}, logits.options().dtype(at::kFloat));
  kernels.cross_entropy({.type = encoders::element_type(logits.scalar_type()),
                         .rows = logits.size(0),
                         .classes = logits.size(1),
                         .logits = logits.mutable_data_ptr(),
                         .bias = bias.defined() ? bias.const_data_ptr<float>() : nullptr,
                         .targets = targets.classes.const_data_ptr<int64_t>(),
                         .weights = targets.factors(),
                         .smoothing = smoothing,
                         .gradient = gradient,
                         .losses = losses.mutable_data_ptr<float>()});
  return losses.sum(0, false, at::kDouble);
}

// Computes the block's loss with tensor operations, for other types and devices.
Tensor block_loss_general(Tensor& logits, const RowTargets& targets, double smoothing,
                          bool gradient) {
  const auto classes = static_cast<double>(logits.size(1));
  const Tensor log_probabilities = at::log_softmax(logits, 1);
  Tensor counts = targets.classes.ge(0).to(logits.scalar_type()).unsqueeze(1);  // [rows, 1]
  if (targets.weights.defined()) counts.mul_(targets.weights.unsqueeze(1));
  const Tensor classes_of_rows = targets.classes.clamp_min(0).unsqueeze(1);
  const Tensor target_loss = -(log_probabilities.gather(1, classes_of_rows) * counts).sum();
  const Tensor uniform_loss = -(log_probabilities * counts).sum() / classes;
  if (gradient) {
    logits = log_probabilities.exp().sub_(smoothing / classes).mul_(counts);
    logits.scatter_add_(1, classes_of_rows, (smoothing - 1.0) * counts);
  }
  const Tensor target = target_loss.to(at::kDouble);
  return at::stack({(1.0 - smoothing) * target + smoothing * uniform_loss.to(at::kDouble), target});
}

}  // namespace

RowTargets RowTargets::narrow(int64_t begin, int64_t rows) const {
  return {classes.narrow(0, begin, rows),
          weights.defined() ? weights.narrow(0, begin, rows) : Tensor()};
}

const float* RowTargets::factors() const {
  return weights.defined() ? weights.const_data_ptr<float>() : nullptr;
}

std::optional<Tensor> if_defined(const Tensor& tensor) {
  return tensor.defined() ? std::optional(tensor) : std::nullopt;
}

Tensor block_loss(Tensor& logits, const Tensor& bias, const RowTargets& targets, double smoothing,
                  bool gradient) {
  const c10::DeviceGuard guard(logits.device());
  const kernels::DeviceKernels* const kernels = encoders::device_kernels(logits.device());
  if (kernels != nullptr && kernels->cross_entropy != nullptr &&
      has_element_type(logits.scalar_type()))
    return block_loss_fused(*kernels, logits, bias, targets, smoothing, gradient);
  if (!logits.is_cpu() && logits.scalar_type() != at::kDouble) logits = logits.to(at::kFloat);
  if (bias.defined()) logits = logits.to(bias.scalar_type()).add_(bias);
  if (logits.is_cpu() && logits.scalar_type() == at::kFloat)
    return block_loss_cpu<float>(logits, targets, smoothing, gradient);
  if (logits.is_cpu() && logits.scalar_type() == at::kBFloat16)
    return block_loss_cpu<kernels::BFloat16>(logits, targets, smoothing, gradient);
  return block_loss_general(logits, targets, smoothing, gradient);
}

OutputLayer::OutputLayer(const Tensor& weight, const Tensor& bias, at::ScalarType type,
                         int64_t rows, bool gradient)
    : rows_(rows),
      weight_(encoders::weight_in(type, weight)),
      kernels_(has_element_type(type) ? encoders::device_kernels(weight.device()) : nullptr),
      // The largest block has as many rows as in fp32, whatever the type.
      fast_(encoders::has_fast_products(weight_, std::min(host_block_rows(at::kFloat), rows))),
      in_bf16_(rows > 0 && encoders::has_bf16_products(weight_, weight_)),
      transposed_(fast_ ? weight_.t().contiguous() : weight_.t()) {
  if (in_bf16_) panels_of_transposed_ = encoders::bf16_panels_of_transposed(weight_);
  if (in_bf16_ && gradient) panels_ = encoders::bf16_panels(weight_);
  // The fused operation overwrites them with the gradients of the first block.
  fused_ = kernels_ != nullptr && kernels_->linear_backward != nullptr;
  const bool cleared = !fused_ || rows == 0;
  const auto made = [&](const Tensor& like) {
    return cleared ? at::zeros_like(like, at::MemoryFormat::Contiguous)
                   : at::empty_like(like, at::MemoryFormat::Contiguous);
  };
  if (gradient && weight.requires_grad()) {
    // Contiguous as [D, V] on the CPU and as [V, D] on a device.
    grad_transposed_ = weight.is_cpu()
                           ? at::zeros(transposed_.sizes(), weight.options().requires_grad(false))
                           : made(weight).t();
  }
  if (gradient && bias.defined()) grad_bias_ = made(bias);
}

int64_t OutputLayer::block_rows(at::ScalarType type) const {
  if (in_bf16_) return kBf16BlockRows;
  if (weight_.is_cpu()) return host_block_rows(type);
  constexpr int64_t kMultiple = 128;  // rows of a matrix product's tile
  const int64_t row = weight_.size(0) * static_cast<int64_t>(c10::elementSize(type));  // bytes
  const int64_t most = std::max(kMultiple, kDeviceBlock / row / kMultiple * kMultiple);
  const int64_t blocks = std::max<int64_t>(1, (rows_ + most - 1) / most);
  const int64_t equal = (rows_ + blocks - 1) / blocks;
  return (equal + kMultiple - 1) / kMultiple * kMultiple;
}

Tensor OutputLayer::products(const Tensor& block) const {
  if (in_bf16_) return encoders::bf16_linear(block, panels_of_transposed_, {});
  if (weight_.is_cpu()) return multiply(block, transposed_);
  return encoders::linear_products(block, weight_).forward(block, weight_, {}, false);
}

void OutputLayer::backward(const Tensor& grad_logits, const Tensor& block, Tensor grad_block) {
  const Tensor gradient = grad_logits.to(weight_.scalar_type());
  if (!fused_ && grad_bias_.defined()) grad_bias_.add_(grad_logits.sum(0));
  if (fused_ || in_bf16_) {
    const bool in_place = grad_block.scalar_type() == weight_.scalar_type();
    const Tensor place = in_place ? grad_block : at::empty_like(block);
    fused_ ? backward_fused(gradient, block, place) : backward_in_bf16(gradient, block, place);
    if (!in_place) grad_block.copy_(place);
    return;
  }
  grad_block.copy_(multiply(gradient, weight_));
  if (grad_transposed_.defined()) add_grad_weight(gradient, block);
}

void OutputLayer::backward_in_bf16(const Tensor& grad_logits, const Tensor& block,
                                   const Tensor& grad_block) {
  encoders::bf16_input_gradient(grad_logits, panels_, {}, {}, grad_block);
  if (grad_transposed_.defined())
    encoders::bf16_transposed_product(block, grad_logits, grad_transposed_, true);
}

void OutputLayer::backward_fused(const Tensor& grad_logits, const Tensor& block,
                                 const Tensor& grad_block) {
  const c10::DeviceGuard guard(block.device());
  kernels::DeviceLinearBackward call{.type = encoders::element_type(block.scalar_type()),
                                     .rows = block.size(0),
                                     .inputs = block.size(1),
                                     .outputs = weight_.size(0),
                                     .x = block.const_data_ptr(),
                                     .weight = weight_.const_data_ptr(),
                                     .grad_output = grad_logits.const_data_ptr(),
                                     .grad_x = grad_block.mutable_data_ptr(),
                                     .accumulate = std::exchange(has_gradients_, true)};
  if (grad_transposed_.defined()) call.grad_weight = grad_transposed_.mutable_data_ptr<float>();
  if (grad_bias_.defined()) call.grad_bias = grad_bias_.mutable_data_ptr<float>();
  kernels_->linear_backward(call);
}

void OutputLayer::add_grad_weight(const Tensor& grad_logits, const Tensor& block) {
  if (weight_.scalar_type() == grad_transposed_.scalar_type() && !fast_) {
    grad_transposed_.addmm_(block.t(), grad_logits);
  } else {
    grad_transposed_.add_(multiply(block.t(), grad_logits));
  }
}

Tensor OutputLayer::grad_weight() const {
  return grad_transposed_.defined() ? grad_transposed_.t().contiguous() : Tensor();
}

Tensor OutputLayer::multiply(const Tensor& a, const Tensor& b) const {
  return fast_ ? encoders::fast_product(a, b) : at::mm(a, b);
}

}  // namespace dietmt::training
