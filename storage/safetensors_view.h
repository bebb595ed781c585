// A safetensors file mapped into memory, without LibTorch: the names, types and shapes of its
// tensors and where their numbers lie. encoders/weights/safetensors.h describes the format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace dietmt::storage {

/// The name that a model's tensors have in its directory.
inline constexpr const char* kSafetensorsFile = "model.safetensors";

struct TensorView {
  std::string dtype;  // as the file names it: "F32", "BF16", "I8", ...
  std::vector<int64_t> shape;
  const char* data = nullptr;  // of `bytes` bytes
  uint64_t bytes = 0;
};

struct SafetensorsView {
  std::map<std::string, TensorView> tensors;
  std::shared_ptr<const void> file;  // what the tensors point into, shared with other processes
};

/// Reads the header alone. Throws CheckpointError naming the file and the tensor if a length,
/// dtype, shape or byte range is wrong, or ranges overlap or leave gaps.
SafetensorsView view_safetensors(const std::filesystem::path& path);

/// The `__metadata__` of a file; empty if it has none.
std::map<std::string, std::string> load_safetensors_metadata(const std::filesystem::path& path);

/// E.g. "[3, 768]".
std::string shape_text(std::span<const int64_t> shape);

}  // namespace dietmt::storage
