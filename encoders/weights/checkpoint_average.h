// The mean of several checkpoints' weights (Vaswani et al. 2017, section 6.1): usually a better
// model than the last one, at no training cost.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace dietmt::encoders {

/// The mean of model.safetensors over model directories, summed in double and returned in the
/// dtypes of the first; integer tensors come from the first. Throws CheckpointError naming
/// the directory and tensor if names or shapes differ.
std::map<std::string, at::Tensor> average_weights(
    const std::vector<std::filesystem::path>& directories);

}  // namespace dietmt::encoders
