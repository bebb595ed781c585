// Operations between the matrix products of a Transformer layer, with their gradients. fp32 on the
// CPU runs the one-pass kernels of kernels/rowwise.h; other types and devices run the same formulas
// as tensor algebra. All of them drop the same elements for the same key.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "common/random.h"

namespace dietmt::encoders {

/// One place of a forward pass where dropout applies: probability and key (kernels/dropout.h) of
/// the dropped elements. p = 0: none.
struct DropoutSite {
  double p = 0.0;
  uint64_t key = 0;
};

/// Numbers the dropout sites of a forward pass in call order. A pass with the same seed key drops
/// the same elements. Functions that take a `DropoutKeys*` treat nullptr as "no dropout"
/// (evaluation).
class DropoutKeys {
 public:
  explicit DropoutKeys(uint64_t pass_key) : pass_key_(pass_key) {}
  uint64_t next() { return random_key(pass_key_, site_++); }

 private:
  uint64_t pass_key_;
  uint64_t site_ = 0;
};

/// layer_norm(residual + dropout(branch)) * gamma + beta; residual, branch: [N, D].
at::Tensor add_norm(const at::Tensor& residual, const at::Tensor& branch, const at::Tensor& gamma,
                    const at::Tensor& beta, const DropoutSite& dropout, double epsilon);

/// residual + dropout(branch).
at::Tensor dropout_add(const at::Tensor& residual, const at::Tensor& branch,
                       const DropoutSite& dropout);

/// dropout(x), Srivastava et al. 2014: kept elements are scaled by 1 / (1 - p).
at::Tensor dropout(const at::Tensor& x, const DropoutSite& site);

/// [like.sizes()]: 1 / (1 - p) for kept elements, else 0.
at::Tensor dropout_mask_like(const at::Tensor& like, const DropoutSite& site);

}  // namespace dietmt::encoders
