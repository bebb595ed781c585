// The output layer in blocks of rows, for losses that never hold all logits.
//
//   OutputLayer output(weight, bias, type, hidden.size(0), /*gradient=*/true);
//   for each block of output.block_rows(type) rows:
//     logits = output.products(block);
//     sums += block_loss(logits, bias, targets, smoothing, /*gradient=*/true);
//     output.backward(logits, block, grad_block);  // logits are now the gradient
//   ... output.grad_weight(), output.grad_bias()
//
// On devices with the fused operations of kernels/device_kernels.h, a block of several thousand
// rows takes three matrix products and one kernel.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

#include "encoders/ops/bf16_products.h"
#include "kernels/device_kernels.h"

namespace dietmt::training {

/// What rows of logits predict.
struct RowTargets {
  at::Tensor classes;       // [rows] int64; on a device they may include kIgnoredTarget (loss.h)
  at::Tensor weights = {};  // [rows] fp32, factors of the rows' losses; undefined: 1

  const float* factors() const;  // null: 1
  RowTargets narrow(int64_t begin, int64_t rows) const;
};

/// An autograd function takes no undefined tensors.
std::optional<at::Tensor> if_defined(const at::Tensor& tensor);

/// Adds the bias [V], if defined, to logits [rows, V]. Returns [2] fp64 on their device: the
/// label-smoothed cross-entropy summed over the rows, and the sum of -log p(target). If `gradient`,
/// the logits are replaced by the gradient of the former.
at::Tensor block_loss(at::Tensor& logits, const at::Tensor& bias, const RowTargets& targets,
                      double smoothing, bool gradient);

class OutputLayer {
 public:
  static constexpr int64_t kDeviceBlock = int64_t{1} << 29;  // bytes: 8,192 rows of 32,768 in bf16

  /// weight: [V, D]; bias: [V], or undefined: none; `type`: of the products and their operands;
  /// `rows`: of all blocks together. `gradient`: whether backward() will be called; gradients have
  /// the weight's type.
  OutputLayer(const at::Tensor& weight, const at::Tensor& bias, at::ScalarType type, int64_t rows,
              bool gradient);

  /// Rows per block for logits of this type. On the CPU 512 in fp32, enough for matrix products at
  /// full speed, and fewer with bf16_products.h. On a device, blocks of about equal size, none
  /// above kDeviceBlock.
  int64_t block_rows(at::ScalarType type) const;

  /// block: [rows, D]. Returns the logits without bias, [rows, V].
  at::Tensor products(const at::Tensor& block) const;

  /// Writes the gradient of the block, [rows, D], and accumulates those of weight and bias.
  void backward(const at::Tensor& grad_logits, const at::Tensor& block, at::Tensor grad_block);

  /// [V, D] and [V], summed over the blocks; undefined if there is none.
  at::Tensor grad_weight() const;
  at::Tensor grad_bias() const { return grad_bias_; }

 private:
  void backward_fused(const at::Tensor& grad_logits, const at::Tensor& block,
                      const at::Tensor& grad_block);
  void backward_in_bf16(const at::Tensor& grad_logits, const at::Tensor& block,
                        const at::Tensor& grad_block);
  void add_grad_weight(const at::Tensor& grad_logits, const at::Tensor& block);
  at::Tensor multiply(const at::Tensor& a, const at::Tensor& b) const;

  int64_t rows_;
  at::Tensor weight_;                      // [V, D], in the products' type
  const kernels::DeviceKernels* kernels_;  // null: none
  bool fast_;
  bool in_bf16_;  // on the CPU
  encoders::Bf16Panels panels_of_transposed_, panels_;
  bool fused_ = false;          // backward() is the device's operation
  bool has_gradients_ = false;  // from earlier blocks
  at::Tensor transposed_;       // [D, V]
  at::Tensor grad_transposed_;  // [D, V], or undefined
  at::Tensor grad_bias_;        // [V], or undefined
};

}  // namespace dietmt::training
