// Compares counts of parameters with the parameters of a built module.
#pragma once

#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include <map>
#include <string>

#include "encoders/position/parameter_counts.h"

namespace dietmt::encoders {

/// Every parameter belongs to one component, and every component's count equals that of its
/// parameters.
inline void expect_parameters(const ParameterCounts& counts, const torch::nn::Module& module) {
  std::map<std::string, double> found;
  for (const auto& [component, count] : counts) found[component] = 0.0;
  EXPECT_EQ(found.size(), counts.size()) << "a component is counted twice";
  for (const auto& parameter : module.named_parameters()) {
    int components = 0;
    for (auto& [component, sum] : found) {
      if (parameter.key() != component && !parameter.key().starts_with(component + ".")) continue;
      sum += static_cast<double>(parameter.value().numel());
      ++components;
    }
    EXPECT_EQ(components, 1) << parameter.key();
  }
  for (const auto& [component, count] : counts) EXPECT_EQ(count, found[component]) << component;
}

}  // namespace dietmt::encoders
