// Worked examples of an independent NumPy implementation. Sizes, inputs and parameters all come
// from the file named by DIETMT_FIXTURES, by default positions.json in this folder.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace dietmt::encoders {

using Tensors = std::map<std::string, at::Tensor>;

std::string fixtures_path();

const nlohmann::json& fixtures();

/// Nested lists of numbers as a tensor in double.
at::Tensor tensor_of(const nlohmann::json& nested);

Tensors tensors_of(const nlohmann::json& named);

}  // namespace dietmt::encoders
