// The logits of a large vocabulary in blocks of rows, for losses that never hold all of them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dietmt::training {

/// Rows in a block of logits of this type: 512 in fp32, large enough for matrix products at full
/// speed.
int64_t block_rows_of(at::ScalarType type);

/// Sums over the rows of a block.
struct BlockLoss {
  double smoothed = 0;
  double target = 0;  // -log p(target)
};

/// The label-smoothed cross-entropy of one block; if `gradient`, logits [rows, V] become its
/// gradient. targets: [rows] int64.
BlockLoss block_loss(at::Tensor& logits, const at::Tensor& targets, double smoothing,
                     bool gradient);

/// The products of blocks of rows [rows, D] with the weight [V, D], and the sum of its gradients.
class LogitProducts {
 public:
  /// `largest`: rows of the largest block; `gradient`: whether weight gradients will be added, in
  /// `sum_type`.
  LogitProducts(at::Tensor weight, int64_t largest, at::ScalarType sum_type, bool gradient);

  at::Tensor logits(const at::Tensor& rows) const { return product(rows, transposed_); }
  at::Tensor grad_rows(const at::Tensor& grad_logits) const {
    return product(grad_logits, weight_);
  }
  void add_grad_weight(const at::Tensor& grad_logits, const at::Tensor& rows);
  /// [V, D], or undefined without gradients.
  at::Tensor grad_weight() const;

 private:
  at::Tensor product(const at::Tensor& a, const at::Tensor& b) const;

  at::Tensor weight_;
  bool fast_;
  at::Tensor transposed_;       // [D, V]
  at::Tensor grad_transposed_;  // [D, V] or undefined
};

}  // namespace dietmt::training
