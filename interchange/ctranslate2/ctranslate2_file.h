// The file model.bin of CTranslate2, binary version 6: the name and revision of a kind of model,
// then its variables, then aliases of variables. All numbers are little-endian; a string is its
// length with the terminating zero (16 bits), then its bytes.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <variant>

namespace dietmt::interchange {

class CTranslate2File {
 public:
  /// A tensor is written in fp32, a number as a variable without dimensions.
  using Value = std::variant<at::Tensor, int8_t, int16_t, int32_t, float>;

  void add(const std::string& name, Value value) { variables_[name] = std::move(value); }

  const std::map<std::string, Value>& variables() const { return variables_; }

  /// A tensor that shares its memory with another one becomes an alias. Throws Error with the file
  /// and the system's reason, and ConfigError for a tensor of 4 GiB or more, which the format
  /// cannot hold.
  void write(const std::filesystem::path& path) const;

 private:
  std::map<std::string, Value> variables_;
};

}  // namespace dietmt::interchange
