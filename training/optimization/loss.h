// Output projection and label-smoothed cross-entropy in one operation.
#pragma once

#include <ATen/core/Tensor.h>

namespace dietmt::training {

/// Stays on the device of the hidden states, so that a step does not wait for it.
struct LossSums {
  at::Tensor smoothed;  // scalar: sum over tokens, with gradient (Szegedy et al. 2016)
  at::Tensor sums;      // [2] fp64: `smoothed`, and the sum of -log p(target), in nats

  /// Like smoothed.backward(), but passes the stored gradients on without multiplying them by one.
  void backward() const;
};

/// The gradient of a loss with respect to itself; always the same tensor for a device and type.
at::Tensor unit_gradient(const at::TensorOptions& options);

/// stored * of_loss, or `stored` itself if of_loss is the unit gradient.
at::Tensor scaled_gradient(const at::Tensor& stored, const at::Tensor& of_loss);

/// Marks rows without a target, whose loss and gradient are zero. Only on devices.
constexpr int64_t kIgnoredTarget = -1;

/// Loss of softmax(hidden weight^T + bias). hidden: [N, D]; weight: [V, D]; targets: [N] int64;
/// bias: [V], or undefined: none. The [N, V] logits exist only for a block of rows at a time: their
/// gradient is formed in place and multiplied back at once, so that a backward pass only scales
/// stored gradients. `product_type`: the type of the matrix products (bf16 or the type of hidden).
/// `token_weights`: [N] fp32, factors of the rows' losses; undefined: 1.
LossSums linear_cross_entropy(const at::Tensor& hidden, const at::Tensor& weight,
                              const at::Tensor& targets, double smoothing,
                              at::ScalarType product_type, const at::Tensor& bias = {},
                              const at::Tensor& token_weights = {});

}  // namespace dietmt::training
