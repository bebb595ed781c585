#include "training/distributed/flat_parameters.h"

#include <ATen/ATen.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <algorithm>

#include "common/error.h"

namespace dietmt::training {
namespace {

using at::Tensor;

// Parameters start at cache lines, as separate tensors do.
constexpr int64_t kAlignment = 16;

int64_t rounded_up(int64_t size, int64_t unit) { return (size + unit - 1) / unit * unit; }

}  // namespace

FlatParameters::FlatParameters(torch::nn::Module& model, int64_t parts) : parts_(parts) {
  int64_t size = 0;
  for (const Tensor& parameter : model.parameters()) {
    parameters_.push_back(parameter);
    places_.push_back({size, parameter.numel()});
    size += rounded_up(parameter.numel(), kAlignment);
    if (parameter.scalar_type() != at::kFloat)
      throw Error("several processes can only train a model whose parameters are all fp32");
  }
  weights_ = at::zeros({rounded_up(size, parts * kAlignment)}, parameters_.front().options());
  gradients_ = at::zeros_like(weights_);
  const torch::NoGradGuard no_grad;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor moved =
        weights_.narrow(0, places_[i].begin, places_[i].size).view(parameters_[i].sizes());
    moved.copy_(parameters_[i]);
    parameters_[i].set_data(moved);
  }
}

Tensor FlatParameters::gradient(size_t parameter) const {
  const Slice& place = places_[parameter];
  return gradients_.narrow(0, place.begin, place.size).view(parameters_[parameter].sizes());
}

Slice FlatParameters::part(int64_t index) const {
  const int64_t size = weights_.numel() / parts_;
  return {index * size, size};
}

std::vector<Slice> FlatParameters::slices_in(int64_t index) const {
  const Slice range = part(index);
  std::vector<Slice> slices;
  for (const Slice& place : places_) {
    const int64_t begin = std::clamp(range.begin - place.begin, int64_t{0}, place.size);
    const int64_t end = std::clamp(range.begin + range.size - place.begin, int64_t{0}, place.size);
    slices.push_back({begin, end - begin});
  }
  return slices;
}

}  // namespace dietmt::training
