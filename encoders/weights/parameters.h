// The parameters of a module in a safetensors file.
#pragma once

#include <torch/nn/module.h>

#include <filesystem>

namespace dietmt::encoders {

/// Sets the parameters of `module` from a file; every parameter must be there with its shape, and
/// nothing else. Throws CheckpointError naming the file and the tensor.
void load_parameters(torch::nn::Module& module, const std::filesystem::path& path);

}  // namespace dietmt::encoders
