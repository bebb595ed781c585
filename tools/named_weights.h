// What model directories are written from.
#pragma once

#include <torch/nn/module.h>

#include <string>
#include <utility>
#include <vector>

namespace dietmt::tools {

/// Names and weights of a model's parameters.
inline std::vector<std::pair<std::string, at::Tensor>> weights_of(const torch::nn::Module& model) {
  std::vector<std::pair<std::string, at::Tensor>> weights;
  for (const auto& parameter : model.named_parameters())
    weights.emplace_back(parameter.key(), parameter.value());
  return weights;
}

}  // namespace dietmt::tools
