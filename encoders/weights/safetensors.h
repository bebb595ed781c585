// Tensors and modules' parameters in safetensors files (storage/safetensors_file.h).
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "storage/safetensors_file.h"

namespace dietmt::encoders {

/// Writes the file as storage::write_safetensors() does. Dtypes: F64, F32, F16, BF16, I64, I32, I8,
/// U8, BOOL. Throws CheckpointError also for a tensor of another dtype.
void save_safetensors(const std::filesystem::path& path,
                      const std::vector<std::pair<std::string, at::Tensor>>& tensors,
                      const std::map<std::string, std::string>& metadata = {});

/// The type that safetensors calls `dtype`, one of those above.
at::ScalarType scalar_type(const std::string& dtype);

/// All tensors of a file, on the CPU, owning their memory. Throws CheckpointError naming the file
/// and the tensor if a length, dtype, shape or byte range is wrong, or ranges overlap or leave
/// gaps.
std::map<std::string, at::Tensor> load_safetensors(const std::filesystem::path& path);

/// Maps the file instead of reading it: the tensors are views of the mapped file, which stays open
/// while one of them exists. Do not write to them. Only those that do not lie on a boundary of
/// their numbers are copies.
std::map<std::string, at::Tensor> map_safetensors(const std::filesystem::path& path);

/// The tensors of a mapped file.
std::map<std::string, at::Tensor> tensors_of(const storage::SafetensorsFile& view);

/// Sets the parameters of `module` from `tensors` of the file `path`, which must be exactly these
/// parameters in their shapes. Throws CheckpointError naming the file and the tensor.
void set_parameters(torch::nn::Module& module, std::map<std::string, at::Tensor> tensors,
                    const std::filesystem::path& path);

/// set_parameters() from all tensors of the file.
void load_parameters(torch::nn::Module& module, const std::filesystem::path& path);

/// The mean of several checkpoints' weights (Vaswani et al. 2017, section 6.1): usually a better
/// model than the last one, at no training cost. Averages model.safetensors over model directories,
/// summed in double and returned in the dtypes of the first; integer tensors come from the first.
/// Throws CheckpointError naming the directory and tensor if names or shapes differ.
std::map<std::string, at::Tensor> average_weights(
    const std::vector<std::filesystem::path>& directories);

}  // namespace dietmt::encoders
