// Marian's binary model files, .bin: version and number of tensors; for all tensors the lengths of
// name, shape and data and the type; then the names, the shapes and the data (Marian's
// src/common/binary.cpp). Firefox's translation models are such files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/files.h"

namespace dietmt::interchange {

struct BinaryTensor {
  enum class Type {
    kFloat,     // fp32
    kIntegers,  // intgemm8: one byte per number, then the multiplier; number = integer / multiplier
    kBytes,     // text
  };
  Type type = Type::kFloat;
  std::vector<int64_t> shape;
  std::string_view data = {};  // numbers() numbers or more

  int64_t numbers() const;
  std::vector<float> floats() const;
  /// A matrix [inputs, outputs] is stored as [outputs, inputs], except for embeddings.
  std::span<const int8_t> integers() const;
  float multiplier() const;
};

class MarianBinary {
 public:
  /// Maps the file. Throws CheckpointError naming the file and the tensor if it is not such a file,
  /// is damaged, or holds another type of numbers.
  explicit MarianBinary(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  const std::map<std::string, BinaryTensor>& tensors() const { return tensors_; }

  /// Whether there are int8 weights.
  bool has_integers() const;

 private:
  std::filesystem::path path_;
  std::unique_ptr<const MappedFile> file_;
  std::map<std::string, BinaryTensor> tensors_;
};

/// Writes fp32 tensors by name, and `options`, the text of special:model.yml. Data is aligned to
/// 256 bytes, so that Marian can map the file.
void write_marian_binary(const std::filesystem::path& path, const std::string& options,
                         const std::map<std::string, BinaryTensor>& tensors);

}  // namespace dietmt::interchange
