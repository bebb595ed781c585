// Bottleneck adapters (encoders/transformer/adapter.h) in a small file in the directory of the
// model that they were trained for: their parameters under their names.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>

namespace dietmt::encoders {

/// The file of a checkpoint with what `--adapter-size` has trained.
inline constexpr const char* kAdapterLayersFile = "bottleneck.adapter";

/// Whether a parameter of a model belongs to an adapter.
bool is_of_adapter(const std::string& parameter);

/// `weights`: all parameters of a model with adapters.
void save_adapter_layers(const std::filesystem::path& path,
                         const std::map<std::string, at::Tensor>& weights);

/// Adds the adapters to the parameters of the model that they were trained for. Throws
/// CheckpointError naming the file if it is damaged or the model is another one.
void add_adapter_layers(const std::filesystem::path& path,
                        std::map<std::string, at::Tensor>& weights);

}  // namespace dietmt::encoders
