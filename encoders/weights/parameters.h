// Loads the parameters of a module from a safetensors file.
#pragma once

#include <torch/nn/module.h>

#include <filesystem>

namespace dietmt::encoders {

/// Sets the parameters of `module` from a file, which must hold exactly these parameters in their
/// shapes. Throws CheckpointError naming the file and the tensor.
void load_parameters(torch::nn::Module& module, const std::filesystem::path& path);

}  // namespace dietmt::encoders
