// Products of bf16 matrices on the CPU with fp32 sums, by LibTorch's micro-kernels (brgemm). The
// kernels know tiles of fixed sizes, so batches of ever new sizes cost no preparation, and what
// follows a product happens while its tile is in the cache. Results are the same bits for any
// number of threads. Nothing here records gradients.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dietmt::encoders {

/// Whether the functions below multiply x [R, K] by such a weight [N, K], forward and backward: x
/// in bf16 on a processor with AVX-512 BF16 or AMX that DIETMT_INSTRUCTION_SET does not forbid, K a
/// multiple of 32, N even.
bool has_bf16_products(const at::Tensor& x, const at::Tensor& weight);

/// The right side [K, N] of products, as the micro-kernels read it: panels of 64 columns, each
/// with two rows interleaved.
struct Bf16Panels {
  int64_t depth = 0;    // K
  int64_t columns = 0;  // N
  at::Tensor pairs;     // int32 [panels, (K + 1) / 2, 64]
};

/// Panels of a bf16 matrix [K, N].
Bf16Panels bf16_panels(const at::Tensor& matrix);

/// Panels of a transposed matrix [N, K], K a multiple of 32.
Bf16Panels bf16_panels_of_transposed(const at::Tensor& matrix);

/// x W^T + bias, after that max(0, .) if `relu`. x: [R, K]; `transposed`: W^T; bias: [N] bf16 or
/// undefined. Returns [R, N].
at::Tensor bf16_linear(const at::Tensor& x, const Bf16Panels& transposed, const at::Tensor& bias,
                       bool relu = false);

/// gradient W + addend, zero where `passes` [R, K] is not positive. gradient: [R, N]; addend:
/// [R, K] or undefined; passes: the output of a ReLU, or undefined. Writes to `to` [R, K], which
/// may be the addend.
void bf16_input_gradient(const at::Tensor& gradient, const Bf16Panels& weight,
                         const at::Tensor& addend, const at::Tensor& passes, const at::Tensor& to);

/// sums += a^T b in fp32, or = if not `accumulate`. a: [R, M], M a multiple of 32; b: [R, N]; sums:
/// [M, N].
void bf16_transposed_product(const at::Tensor& a, const at::Tensor& b, const at::Tensor& sums,
                             bool accumulate);

/// gradient^T x in fp32, [N, K]. gradient: [R, N]; x: [R, K].
at::Tensor bf16_weight_gradient(const at::Tensor& gradient, const at::Tensor& x);

/// The sums of the columns of x [R, N], in fp32.
at::Tensor bf16_column_sums(const at::Tensor& x);

}  // namespace dietmt::encoders
