// Output projection and label-smoothed cross-entropy in one operation.
#pragma once

#include <ATen/core/Tensor.h>

namespace dietmt::training {

/// Scalars on the device of the hidden states, so that a step does not wait for them.
struct LossSums {
  at::Tensor smoothed;     // sum over tokens, with gradient (Szegedy et al. 2016)
  at::Tensor target_loss;  // fp64, sum over tokens of -log p(target), in nats
};

/// Loss of softmax(hidden weight^T + bias). hidden: [N, D]; weight: [V, D]; targets: [N] int64;
/// bias: [V], or undefined: none. The [N, V] logits exist only for a block of rows at a time: their
/// gradient is formed in place and multiplied back at once, so backward() only scales stored
/// gradients. `product_type`: the type of the matrix products (bf16 or the type of hidden).
LossSums linear_cross_entropy(const at::Tensor& hidden, const at::Tensor& weight,
                              const at::Tensor& targets, double smoothing,
                              at::ScalarType product_type, const at::Tensor& bias = {});

}  // namespace dietmt::training
