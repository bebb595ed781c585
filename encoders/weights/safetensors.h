// The safetensors format: a header length (8 bytes, little-endian), a JSON header that gives each
// tensor's dtype, shape and byte range, then the raw data. Python reads these files with the
// `safetensors` package. https://github.com/huggingface/safetensors#format
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "storage/safetensors_view.h"

namespace dietmt::encoders {

/// Writes the file beside `path`, syncs and renames it. The bytes depend only on the arguments:
/// first come tensors of a multiple of 64 bytes, which start at one, then the others, by falling
/// element size and by name, so that each is aligned without the gaps that the format forbids.
/// Dtypes: F64, F32, F16, BF16, I64, I32, I8, U8, BOOL. Throws CheckpointError naming the file and
/// the system's reason, e.g. a full disk.
void save_safetensors(const std::filesystem::path& path,
                      const std::vector<std::pair<std::string, at::Tensor>>& tensors,
                      const std::map<std::string, std::string>& metadata = {});

/// All tensors of a file, on the CPU, owning their memory. Throws CheckpointError naming the file
/// and the tensor if a length, dtype, shape or byte range is wrong, or ranges overlap or leave
/// gaps.
std::map<std::string, at::Tensor> load_safetensors(const std::filesystem::path& path);

/// The same without reading the data: the tensors are the mapped file, which stays open as long as
/// one of them lives, is shared with other processes, and must not be written to.
std::map<std::string, at::Tensor> map_safetensors(const std::filesystem::path& path);

/// Lists the files where a model's tensors lie in several, not in kSafetensorsFile.
inline constexpr const char* kSafetensorsIndex = "model.safetensors.index.json";

/// The tensors of a file that is mapped already.
std::map<std::string, at::Tensor> tensors_of(const storage::SafetensorsView& view);

/// All tensors of a directory with either. Throws CheckpointError as load_safetensors() does.
std::map<std::string, at::Tensor> load_safetensors_directory(
    const std::filesystem::path& directory);

}  // namespace dietmt::encoders
