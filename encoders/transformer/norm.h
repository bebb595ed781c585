// The norms of a Transformer: layer norm (Ba et al. 2016) and RMS norm (Zhang and Sennrich 2019).
#pragma once

#include <torch/nn/module.h>

#include <cstdint>

namespace dietmt::encoders {

enum class NormType { kLayer, kRms };

/// Over the last dimension. Layer norm: (x - mean) / sqrt(variance + epsilon) * weight + bias; RMS
/// norm: x / sqrt(mean of squares + epsilon) * weight.
class Norm : public torch::nn::Module {
 public:
  Norm(int64_t width, double epsilon, NormType type = NormType::kLayer);
  at::Tensor forward(const at::Tensor& x) const;
  double epsilon() const { return epsilon_; }

  at::Tensor weight;  // [D]
  at::Tensor bias;    // [D]; undefined in an RMS norm

 private:
  double epsilon_;
};

}  // namespace dietmt::encoders
