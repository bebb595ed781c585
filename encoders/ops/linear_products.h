// The matrix products of linear layers: a table of functions for each type and device.
#pragma once

#include <ATen/core/Tensor.h>

namespace dietmt::encoders {

struct LinearGradients {
  at::Tensor x, weight, bias;  // undefined: not wanted
};

/// The backward pass of a layer of x [N, inputs] and weight [outputs, inputs].
struct LinearBackward {
  const at::Tensor& x;
  const at::Tensor& weight;
  const at::Tensor& grad_output;  // [N, outputs]
  const at::Tensor& so_far;       // the gradient of x from elsewhere, or undefined; the products
                                  // may write over it if nobody else reads it
  bool wants_x = false, wants_weight = false, wants_bias = false;
  bool relu = false;  // a ReLU made x, and the gradient of x is that before the ReLU
};

struct LinearProducts {
  /// x W^T [+ bias], after that max(0, .) if `relu`. All have one type.
  at::Tensor (*forward)(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                        bool relu);
  /// Gradients of parameters are fp32, or fp64 if x is.
  LinearGradients (*backward)(const LinearBackward& call);
};

/// Those for this x and a weight of its type: by a device's kernels (kernels/device_kernels.h), by
/// products of bf16 on the CPU (bf16_products.h), by oneDNN or by LibTorch.
const LinearProducts& linear_products(const at::Tensor& x, const at::Tensor& weight);

/// Whether the products below are for `rows` rows of this tensor's type and device: in fp32 on the
/// CPU, from some ten rows on.
bool has_fast_products(const at::Tensor& x, int64_t rows);

/// a b + bias, in fp32 on the CPU. a: [M, K]; b: [K, N], fastest if its rows are contiguous; bias:
/// [N] or undefined. Returns [M, N]. Where LibTorch was built without oneDNN: at::mm.
at::Tensor fast_product(const at::Tensor& a, const at::Tensor& b, const at::Tensor& bias = {});

/// a^T b, likewise. a: [K, M]; b: [K, N]. Returns [M, N], contiguous.
at::Tensor fast_transposed_product(const at::Tensor& a, const at::Tensor& b);

}  // namespace dietmt::encoders
