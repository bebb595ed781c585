// The worked examples of an independent implementation (positions.json, its README gives the
// conventions): sizes, inputs and parameters all come from the file that DIETMT_FIXTURES names.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace dietmt::encoders {

using Tensors = std::map<std::string, at::Tensor>;

std::string fixtures_path();

/// The file, or null if there is none.
const nlohmann::json& fixtures();

/// Nested lists of numbers as a tensor in double.
at::Tensor tensor_of(const nlohmann::json& nested);

Tensors tensors_of(const nlohmann::json& named);

}  // namespace dietmt::encoders
