// The linear layer y = x W^T + b. LibTorch's own layers call the BLAS library, which leaves AVX-512
// unused on processors of some makers. In fp32 on the CPU these use the faster one of BLAS and
// oneDNN, which LibTorch also contains. On a device, and in bf16 on the CPU, the products have the
// type of x, whose copies of the weights a pass keeps (weight_copies.h). linear_products.h has the
// products of each type and device.
#pragma once

#include <ATen/core/Tensor.h>

#include "encoders/ops/branch.h"

namespace dietmt::encoders {

/// Initial weights [outputs, inputs], uniform by their sizes (Glorot and Bengio 2010, eq. 16).
at::Tensor glorot(int64_t outputs, int64_t inputs);

/// x: [N, inputs]; weight: [outputs, inputs]; bias: [outputs], or undefined. Returns [N, outputs].
at::Tensor linear_layer(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// What happens to x W^T.
enum class Epilogue {
  kBias,       // + b
  kLeaveBias,  // on a device nothing: the operation that reads the branch adds b
};

/// A linear layer as a branch of x.
BranchAndResidual linear_branch(const at::Tensor& x, const at::Tensor& weight,
                                const at::Tensor& bias, Epilogue epilogue);

/// Whether linear layers of x multiply by a copy of such a weight that the pass may keep: on a
/// device, or in bf16.
bool uses_weight_copies(const at::Tensor& x, const at::Tensor& weight);

/// linear_layer() with very many outputs, such as a vocabulary: where no copy is kept, transposing
/// the weights would take longer than the product.
at::Tensor wide_linear_layer(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// Several linear layers of the same x, their results side by side: [N, sum of outputs].
at::Tensor stacked_linear(const at::Tensor& x, at::TensorList weights, at::TensorList biases);

/// Weights [outputs, inputs] and bias [outputs] of a linear layer.
struct LinearWeights {
  const at::Tensor& weight;
  const at::Tensor& bias;
};

/// outer(max(0, inner(x))), the position-wise feed-forward network of Vaswani et al. 2017, as a
/// branch of x whose bias is left as by kLeaveBias. It passes once over the hidden layer and once
/// over its gradient, except on a device.
BranchAndResidual relu_network(const at::Tensor& x, const LinearWeights& inner,
                               const LinearWeights& outer);

}  // namespace dietmt::encoders
