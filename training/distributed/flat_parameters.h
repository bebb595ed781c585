// The parameters of a model as parts of one vector, and so their gradients: what goes over a
// network is then a range of it, and each process can own an equal share.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <vector>

#include "training/optimization/optimizer.h"

namespace dietmt::training {

class FlatParameters {
 public:
  /// Moves the parameters' data into the vector; the tensors of the model stay what they are.
  /// `parts`: into how many equal parts the vector can be cut.
  FlatParameters(torch::nn::Module& model, int64_t parts);

  /// In the order of named_parameters().
  const std::vector<at::Tensor>& parameters() const { return parameters_; }
  const std::vector<Slice>& places() const { return places_; }

  const at::Tensor& weights() const { return weights_; }      // [N]
  const at::Tensor& gradients() const { return gradients_; }  // [N], zero between parameters
  /// The place of a parameter's gradient, in its shape.
  at::Tensor gradient(size_t parameter) const;

  /// One of the equal parts of the vector.
  Slice part(int64_t index) const;
  /// What of each parameter, seen as a vector, lies in that part.
  std::vector<Slice> slices_in(int64_t part) const;

 private:
  int64_t parts_;
  std::vector<at::Tensor> parameters_;
  std::vector<Slice> places_;
  at::Tensor weights_;
  at::Tensor gradients_;
};

}  // namespace dietmt::training
