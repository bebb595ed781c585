// R-Drop (Liang et al. 2021): trains two passes over the same batch with different dropout to
// agree.
#pragma once

#include <ATen/core/Tensor.h>

#include "training/optimization/loss.h"

namespace dietmt::training {

/// With P1 and P2 the softmax of the two passes and CE their label-smoothed cross-entropy, sums
/// over
/// tokens of
///
///   (CE1 + CE2) / 2 + alpha / 4 (KL(P1 || P2) + KL(P2 || P1)),
///
/// This is half of the paper's loss with the same alpha, so that it is comparable to that of one
/// pass. -log p(target) is the mean of both passes. first, second: [N, D] hidden states; the rest
/// is as in linear_cross_entropy().
LossSums linear_r_drop(const at::Tensor& first, const at::Tensor& second, const at::Tensor& weight,
                       const at::Tensor& targets, double smoothing, double alpha,
                       at::ScalarType product_type, const at::Tensor& bias = {},
                       const at::Tensor& token_weights = {});

}  // namespace dietmt::training
