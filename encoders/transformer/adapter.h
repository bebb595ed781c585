// Bottleneck adapters: small blocks that are trained while the rest of a model stays as it is
// (Houlsby et al. 2019; one after each layer, with its own norm: Bapna and Firat 2019).
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>

#include "encoders/transformer/norm.h"

namespace dietmt::encoders {

/// x + relu(norm(x) Wd + bd) Wu + bu. Wu and bu start at 0, so that a new adapter changes nothing.
class Adapter : public torch::nn::Module {
 public:
  /// `size`: of the bottleneck, B; `norm`: of the model's width.
  Adapter(int64_t size, std::shared_ptr<Norm> norm);
  at::Tensor forward(const at::Tensor& x) const;

 private:
  std::shared_ptr<Norm> norm_;
  at::Tensor down_weight_;  // [B, D]
  at::Tensor down_bias_;    // [B]
  at::Tensor up_weight_;    // [D, B]
  at::Tensor up_bias_;      // [D]
};

}  // namespace dietmt::encoders
