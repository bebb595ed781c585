// A model with a few parameters, including one without a gradient in some batches.
#pragma once

#include <ATen/ATen.h>
#include <torch/nn/module.h>

#include <string>

namespace dietmt::training {

// Numbers without a generator, which threads would share.
inline at::Tensor waves(at::IntArrayRef sizes, double start) {
  return at::sin(at::arange(c10::multiply_integers(sizes), at::kFloat) * 0.37 + start).view(sizes);
}

struct ToyModel : torch::nn::Module {
  explicit ToyModel(int64_t width = 24) {
    first = register_parameter("first", 0.3 * waves({width, width}, 1));
    bias = register_parameter("bias", waves({width}, 2));
    rare = register_parameter("rare", waves({width, 3}, 3));
    never = register_parameter("never", waves({7}, 4));
    second = register_parameter("second", 0.3 * waves({width, 5}, 5));
  }

  // Summed over the rows of `input` [N, width]; odd batches use `rare`.
  at::Tensor loss(const at::Tensor& input, int64_t batch) const {
    at::Tensor hidden = at::tanh(at::matmul(input, first) + bias);
    at::Tensor loss = at::matmul(hidden, second).pow(2).sum();
    if (batch % 2 == 1) loss = loss + at::matmul(hidden, rare).pow(2).sum();
    return loss;
  }

  at::Tensor first, bias, rare, never, second;
};

/// The input of a batch, [4, width].
inline at::Tensor toy_input(int64_t batch, int64_t width = 24) {
  return waves({4, width}, static_cast<double>(batch));
}

}  // namespace dietmt::training
