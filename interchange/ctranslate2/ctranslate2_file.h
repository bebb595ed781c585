// CTranslate2's model.bin, binary version 6: name and revision of the kind of model, then
// variables, then aliases of variables. Numbers are little-endian. A string is its length including
// the terminating zero (16 bits), then its bytes.
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
  /// Tensors are written in fp32, numbers as variables without dimensions.
  using Value = std::variant<at::Tensor, int8_t, int16_t, int32_t, float>;

  void add(const std::string& name, Value value) { variables_[name] = std::move(value); }

  const std::map<std::string, Value>& variables() const { return variables_; }

  /// Tensors that share memory become aliases. Throws Error with the file and the system's reason,
  /// and ConfigError for a tensor of 4 GiB or more, which the format cannot hold.
  void write(const std::filesystem::path& path) const;

 private:
  std::map<std::string, Value> variables_;
};

}  // namespace dietmt::interchange
