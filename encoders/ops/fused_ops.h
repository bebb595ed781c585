// Operations between the matrix products of a Transformer layer, with their gradients. fp32 and
// bf16 on the CPU run the one-pass kernels of kernels/rowwise.h, a device those of
// kernels/device_kernels.h (row_kernels.h is the table of both); other types and devices run the
// same formulas as tensor algebra. All of them drop the same elements for the same key.
#pragma once

#include <ATen/core/Tensor.h>

#include "encoders/ops/branch.h"
#include "encoders/ops/dropout_keys.h"
#include "kernels/row_calls.h"

namespace dietmt::encoders {

using kernels::Activation;

/// layer_norm(residual + dropout(branch)) * gamma + beta, or with an undefined beta
/// rms_norm(residual + dropout(branch), gamma); residual, branch: [N, D].
at::Tensor add_norm(const at::Tensor& residual, const Branch& branch, const at::Tensor& gamma,
                    const at::Tensor& beta, const DropoutSite& dropout, double epsilon);

/// (x - mean) / sqrt(variance + epsilon) * gamma + beta over the last dimension (Ba et al. 2016).
at::Tensor layer_norm(const at::Tensor& x, const at::Tensor& gamma, const at::Tensor& beta,
                      double epsilon);

/// x / sqrt(mean of squares + epsilon) * gamma over the last dimension (Zhang and Sennrich 2019).
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& gamma, double epsilon);

/// residual + dropout(branch).
at::Tensor dropout_add(const at::Tensor& residual, const Branch& branch,
                       const DropoutSite& dropout);

/// dropout(activation(x)). x: [N, F]; gated ones take [N, 2F], gate and value. Writes over x.rows
/// where that saves memory.
at::Tensor activate(const Branch& x, Activation activation, const DropoutSite& dropout);

/// dropout(x), Srivastava et al. 2014: kept elements are scaled by 1 / (1 - p).
at::Tensor dropout(const at::Tensor& x, const DropoutSite& site);

/// Whole rows of x [N, D] become zero; kept ones are scaled by 1 / (1 - p).
at::Tensor row_dropout(const at::Tensor& x, const DropoutSite& site);

/// [like.sizes()]: 1 / (1 - p) for kept elements, else 0.
at::Tensor dropout_mask_like(const at::Tensor& like, const DropoutSite& site);

/// Mask of attention probabilities [.., columns] of these sizes; the last dimension is a row of
/// kernels/dropout.h; on the device and in the dtype of `like`.
at::Tensor probability_dropout_mask(at::IntArrayRef sizes, const at::Tensor& like,
                                    const DropoutSite& site);

}  // namespace dietmt::encoders
