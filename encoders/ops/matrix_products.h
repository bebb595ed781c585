// Matrix products of training. LibTorch's own use the BLAS library, which leaves AVX-512 unused on
// processors of some makers; in fp32 on the CPU these go to whichever of it and of oneDNN, which
// LibTorch holds too, is the faster one.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

namespace dietmt::encoders {

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
