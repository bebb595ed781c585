// The linear layer y = x W^T + b, and its matrix products. LibTorch's own layers call the
// BLAS library, which leaves AVX-512 unused on processors of some makers. In fp32 on the CPU these
// use the faster one of BLAS and oneDNN, which LibTorch also contains. On a device, and in bf16 on
// the CPU, the products have the type of x, whose copies of the weights a pass keeps
// (weight_copies.h).
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "encoders/ops/branch.h"

namespace dietmt::encoders {

/// Initial weights [outputs, inputs], uniform by their sizes (Glorot and Bengio 2010, eq. 16).
at::Tensor glorot(int64_t outputs, int64_t inputs);

/// x: [N, inputs]; weight: [outputs, inputs]; bias: [outputs], or undefined. Returns [N, outputs].
/// In fp32 on the CPU forward and backward use the products below.
at::Tensor linear_layer(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// What happens to x W^T.
enum class Epilogue {
  kBias,       // + b
  kLeaveBias,  // on a device nothing: the operation that reads the branch adds b
};

/// A linear layer as a branch of x.
Fork linear_fork(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                 Epilogue epilogue);

/// Whether x has a type that linear layers multiply by copies of such a weight: on a device, or in
/// bf16.
bool has_typed_linear(const at::Tensor& x, const at::Tensor& weight);

/// Several linear layers of the same x, their results side by side: [N, sum of outputs]. Only if
/// has_typed_linear().
at::Tensor stacked_linear(const at::Tensor& x, at::TensorList weights, at::TensorList biases);

/// Weights [outputs, inputs] and bias [outputs] of a linear layer.
struct LinearWeights {
  const at::Tensor& weight;
  const at::Tensor& bias;
};

/// outer(max(0, inner(x))), the position-wise feed-forward network of Vaswani et al. 2017. In fp32
/// on the CPU it passes once over the hidden layer and once over its gradient.
at::Tensor relu_network(const at::Tensor& x, const LinearWeights& inner,
                        const LinearWeights& outer);

/// relu_network() as a branch of x.
Fork relu_network_fork(const at::Tensor& x, const LinearWeights& inner, const LinearWeights& outer);

/// While it lives, linear layers of this thread compute blocks of a fixed number of rows in fp32 on
/// the CPU, and fill up the last one. Then a row's result has the same bits whatever other rows
/// come with it. For inference only: there is no backward pass.
class FixedRowBlocks {
 public:
  FixedRowBlocks();
  ~FixedRowBlocks();
  FixedRowBlocks(const FixedRowBlocks&) = delete;
  FixedRowBlocks& operator=(const FixedRowBlocks&) = delete;

 private:
  bool before_;
};

/// Whether the products below are for `rows` rows of this tensor's type and device: in fp32 on the
/// CPU, from some ten rows on.
bool has_fast_products(const at::Tensor& x, int64_t rows);

/// a b + bias, in fp32 on the CPU. a: [M, K]; b: [K, N], fastest if its rows are contiguous; bias:
/// [N]. Returns [M, N]. Where LibTorch was built without oneDNN: at::mm.
at::Tensor fast_product(const at::Tensor& a, const at::Tensor& b,
                        const std::optional<at::Tensor>& bias = {});

/// max(0, a b + bias), likewise, in one pass.
at::Tensor fast_relu_product(const at::Tensor& a, const at::Tensor& b, const at::Tensor& bias);

/// a^T b, likewise. a: [K, M]; b: [K, N]. Returns [M, N], contiguous.
at::Tensor fast_transposed_product(const at::Tensor& a, const at::Tensor& b);

}  // namespace dietmt::encoders
