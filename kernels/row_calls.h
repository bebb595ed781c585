// Operations on the rows of a network, of the CPU (kernels/rowwise.h) and of devices
// (kernels/device_kernels.h). Rows are contiguous and computed in fp32 from any element type.
#pragma once

#include <cstdint>

#include "kernels/attention.h"
#include "kernels/dropout.h"

namespace dietmt::kernels {

/// Element i is dropped by dropout_keeps(key.value(), i, ..) of kernels/dropout.h; p = 0 drops
/// nothing.
struct DropoutCall {
  double p = 0.0;
  DropoutKey key;
};

/// sum = residual + dropout(branch + branch_bias); normalized = (sum - mean) * inverse_std;
/// output = normalized * gamma + beta (Ba et al. 2016). Without beta an RMS norm (Zhang and
/// Sennrich 2019): no mean.
struct AddNorm {
  ElementType type = ElementType::kFloat;  // of residual, branch, normalized and output
  int64_t rows = 0;
  int64_t width = 0;
  const void* residual = nullptr;      // [rows, width]; null, on a device: zeros
  const void* branch = nullptr;        // [rows, width]; null: none
  const float* branch_bias = nullptr;  // [width] or null; on the CPU null
  const float* gamma = nullptr;        // [width]
  const float* beta = nullptr;         // [width] or null
  DropoutCall dropout;
  double epsilon = 1e-5;
  void* normalized = nullptr;    // [rows, width]; null: not kept
  float* inverse_std = nullptr;  // [rows]; null: not kept
  void* output = nullptr;        // [rows, width]
};

/// Without `normalized`, which only fp32 on the CPU may lack, it is (output - beta) / gamma, which
/// divides the rounding error of the output by gamma.
struct AddNormBackward {
  ElementType type = ElementType::kFloat;
  int64_t rows = 0;
  int64_t width = 0;
  const void* grad_output = nullptr;   // [rows, width]
  const void* normalized = nullptr;    // [rows, width]
  const void* output = nullptr;        // [rows, width]; null if there is `normalized`
  const float* inverse_std = nullptr;  // [rows]
  const float* gamma = nullptr;        // [width]
  const float* beta = nullptr;         // [width]; null: RMS norm
  DropoutCall dropout;
  void* grad_residual = nullptr;      // [rows, width]
  void* grad_branch = nullptr;        // [rows, width] or null; without dropout it may be null where
                                      // it equals grad_residual
  float* grad_gamma = nullptr;        // [width]
  float* grad_beta = nullptr;         // [width] or null
  float* grad_branch_bias = nullptr;  // [width] or null: the column sums of grad_branch
};

/// kGeluTanh: x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), which replaces GELU in T5 (Raffel
/// et al. 2020) and others.
enum class Activation { kNone, kRelu, kGelu, kSilu, kSwiglu, kGeluTanh, kGegluTanh };

/// Gated ones (Shazeer 2020) take [rows, 2 width]: silu(left half) * right half, or kGeluTanh's.
constexpr bool is_gated(Activation activation) {
  return activation == Activation::kSwiglu || activation == Activation::kGegluTanh;
}

/// output = residual + dropout(activation(x + bias)). On the CPU only kNone without a bias; on a
/// device neither kGeluTanh nor kGegluTanh.
struct Activate {
  ElementType type = ElementType::kFloat;
  Activation activation = Activation::kNone;
  int64_t rows = 0;
  int64_t width = 0;               // of the output
  const void* x = nullptr;         // [rows, width]
  const float* bias = nullptr;     // of x's width, or null
  const void* residual = nullptr;  // [rows, width] or null
  DropoutCall dropout;
  void* output = nullptr;  // [rows, width]
};

}  // namespace dietmt::kernels
