// A file NAME.adapter: what training added to a model whose weights it left unchanged. It
// holds tensors, "base", which tells the weights of that model apart, and "checksum" of all others.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace dietmt::encoders {

struct AdapterFile {
  std::map<std::string, at::Tensor> tensors;
  int64_t base = 0;  // fingerprint() of the model's weights
};

/// Equal for equal names and tensors, whether their numbers are stored in fp32 or half precision.
int64_t fingerprint(const std::map<std::string, at::Tensor>& tensors);

/// Throws CheckpointError as save_safetensors().
void save_adapter_file(const std::filesystem::path& path, const AdapterFile& adapter);

/// Throws CheckpointError naming the file if it is damaged or no adapter.
AdapterFile load_adapter_file(const std::filesystem::path& path);

/// Throws CheckpointError naming the file of the adapter if these are not the weights that it was
/// trained with.
void require_base(const std::filesystem::path& path, const AdapterFile& adapter,
                  const std::map<std::string, at::Tensor>& weights);

}  // namespace dietmt::encoders
