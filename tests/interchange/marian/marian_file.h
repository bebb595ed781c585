// Writes Marian's binary model files for tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace dietmt::interchange {

class MarianFile {
 public:
  void add_floats(const std::string& name, std::vector<int32_t> shape,
                  const std::vector<float>& values) {
    add(name, 0x404, std::move(shape), bytes_of(values));
  }
  /// Integers in file order, and their multiplier.
  void add_integers(const std::string& name, std::vector<int32_t> shape,
                    const std::vector<int8_t>& values, float multiplier) {
    add(name, 0x4101, std::move(shape), bytes_of(values) + bytes_of(std::vector{multiplier}));
  }
  void add_text(const std::string& name, const std::string& text) {
    add(name, 0x101, {static_cast<int32_t>(text.size() + 1)}, text + '\0');
  }
  void add(const std::string& name, uint64_t type, std::vector<int32_t> shape, std::string data) {
    tensors_.push_back({name + '\0', type, std::move(shape), std::move(data)});
  }

  std::string bytes() const {
    std::string all = bytes_of(std::vector<uint64_t>{1, tensors_.size()});
    for (const Tensor& tensor : tensors_)
      all += bytes_of(std::vector<uint64_t>{tensor.name.size(), tensor.type, tensor.shape.size(),
                                            tensor.data.size()});
    for (const Tensor& tensor : tensors_) all += tensor.name;
    for (const Tensor& tensor : tensors_) all += bytes_of(tensor.shape);
    const uint64_t padding = 5;
    all += bytes_of(std::vector{padding}) + std::string(padding, '\0');
    for (const Tensor& tensor : tensors_) all += tensor.data;
    return all;
  }

 private:
  struct Tensor {
    std::string name;
    uint64_t type;
    std::vector<int32_t> shape;
    std::string data;
  };
  template <typename T>
  static std::string bytes_of(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
  }

  std::vector<Tensor> tensors_;
};

}  // namespace dietmt::interchange
