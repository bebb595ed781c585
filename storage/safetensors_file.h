// Safetensors files without LibTorch: a header length (8 bytes, little-endian), a JSON header that
// gives the dtype, shape and byte range of each tensor, then the raw data.
// https://github.com/huggingface/safetensors#format
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/atomic_file.h"

namespace dietmt::storage {

/// The file in a model directory that holds its tensors.
inline constexpr const char* kSafetensorsFile = "model.safetensors";

struct TensorView {
  std::string dtype;  // as the file names it: "F32", "BF16", "I8", ...
  std::vector<int64_t> shape;
  const char* data = nullptr;  // of `bytes` bytes
  uint64_t bytes = 0;
};

struct SafetensorsFile {
  std::map<std::string, TensorView> tensors;
  std::shared_ptr<const void> file;  // the mapping that the tensors point into
};

/// Maps the file. Throws CheckpointError naming the file and the tensor if a length, dtype, shape
/// or byte range is wrong, ranges overlap or leave gaps, or the file differs from the manifest
/// in its directory.
SafetensorsFile open_safetensors(const std::filesystem::path& path);

/// The `__metadata__` of a file; empty if it has none.
std::map<std::string, std::string> load_safetensors_metadata(const std::filesystem::path& path);

/// A tensor to be written.
struct TensorSource {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  std::function<void(AtomicFile&)> write;  // writes the data, which need not be in memory before
};

/// A tensor whose data lies in memory until it is written.
TensorSource tensor_in_memory(std::string name, std::string dtype, std::vector<int64_t> shape,
                              const void* data, size_t bytes);

/// Writes the file atomically. The bytes depend only on the arguments: tensors of whole 64-byte
/// blocks come first and start at such a block, then the others by falling element size and by
/// name, so that all are aligned without the gaps that the format forbids. Throws CheckpointError
/// naming the file if a name is repeated, or with the system's reason, e.g. a full disk.
void write_safetensors(const std::filesystem::path& path, std::vector<TensorSource> tensors,
                       const std::map<std::string, std::string>& metadata = {});

/// E.g. "[3, 768]".
std::string shape_text(std::span<const int64_t> shape);

}  // namespace dietmt::storage
