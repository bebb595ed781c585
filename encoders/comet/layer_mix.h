// A learned mix of the layers of an encoder (Peters et al. 2018).
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <string>
#include <vector>

#include "encoders/attention/packing.h"

namespace dietmt::encoders {

/// Projection of scores onto the probability simplex, which gives low scores no weight at all
/// (Martins and Astudillo 2016). scores: [n]. Returns [n].
at::Tensor sparsemax(const at::Tensor& scores);

/// gamma * sum_l s_l h_l over layers l, with s = softmax(w) or sparsemax(w). With `norm`, the
/// states of an input are brought to mean 0 and variance 1 over all its tokens and dimensions.
class LayerMix : public torch::nn::Module {
 public:
  /// `weights`: "softmax" or "sparsemax".
  LayerMix(int64_t layers, const std::string& weights, bool norm);

  /// layers: [L + 1] of [N, D], which are left as they are. Returns [N, D].
  at::Tensor forward(const std::vector<at::Tensor>& layers, const Packing& packing) const;

 private:
  bool is_sparse_;
  bool norm_;
  at::Tensor scores_;  // w: [L + 1]
  at::Tensor gamma_;   // [1]
};

}  // namespace dietmt::encoders
