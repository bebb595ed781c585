// Tensors of the row kernel tests in memory shared by host and kernels, read and written as double.
// Fresh ones contain NaN, so that reading uninitialised memory shows.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "common/random.h"
#include "kernels/cuda/elements.h"
#include "kernels/dropout.h"
#include "tests/kernels/cuda/rowwise/row_runner.h"

namespace dietmt::kernels {

constexpr ElementType kAllTypes[] = {ElementType::kFloat, ElementType::kBFloat16,
                                     ElementType::kHalf};

inline size_t at(int64_t i) { return static_cast<size_t>(i); }

inline std::string name_of(ElementType type) {
  return type == ElementType::kFloat ? "float" : type == ElementType::kHalf ? "half" : "bfloat16";
}

/// Half the distance between 1 and the next number.
inline double rounding_of(ElementType type) {
  return type == ElementType::kFloat ? 0x1p-24 : type == ElementType::kHalf ? 0x1p-11 : 0x1p-8;
}

/// Numbers visible to host and kernels.
template <typename T>
T* shared_copy(const std::vector<T>& numbers) {
  auto* const memory = static_cast<T*>(allocate_shared(numbers.size() * sizeof(T) + 16));
  std::ranges::copy(numbers, memory);
  return memory;
}

class RowTensor {
 public:
  /// `shift`: offset of the tensor from the start of the memory, in elements.
  RowTensor(ElementType type, int64_t count, int64_t shift = 0)
      : type_(type),
        count_(count),
        memory_(static_cast<char*>(allocate_shared(static_cast<size_t>(count + shift) * 4)) +
                shift * bytes()) {}

  static RowTensor random(ElementType type, int64_t count, uint64_t seed, double bound = 1.0,
                          int64_t shift = 0) {
    RowTensor tensor(type, count, shift);
    Random random(seed);
    for (int64_t i = 0; i < count; ++i) tensor.set(i, bound * (2.0 * random.uniform() - 1.0));
    return tensor;
  }

  int64_t size() const { return count_; }
  void* data() const { return memory_; }
  float* floats() const { return reinterpret_cast<float*>(memory_); }

  void set(int64_t i, double value) {
    const auto number = static_cast<float>(value);
    if (type_ == ElementType::kFloat) {
      floats()[i] = number;
    } else {
      words()[i] =
          type_ == ElementType::kHalf ? round_to(Half{}, number) : round_to(BFloat16{}, number);
    }
  }

  double at(int64_t i) const {
    if (type_ == ElementType::kFloat) return floats()[i];
    return type_ == ElementType::kHalf ? to_float(Half{words()[i]})
                                       : to_float(BFloat16{words()[i]});
  }

  std::vector<double> values() const {
    std::vector<double> values;
    for (int64_t i = 0; i < count_; ++i) values.push_back(at(i));
    return values;
  }

  /// `error`: of the kernel's fp32 arithmetic, for a result of about 1. `roundings`: to the
  /// tensor's type.
  void expect_near(const std::vector<double>& expected, double error, const std::string& name,
                   int roundings = 1) const {
    ASSERT_EQ(expected.size(), static_cast<size_t>(count_)) << name;
    for (int64_t i = 0; i < count_; ++i) {
      const double value = expected[static_cast<size_t>(i)];
      const double bound = error + 1.01 * roundings * rounding_of(type_) * std::fabs(value);
      ASSERT_NEAR(at(i), value, bound) << name << " " << i;
    }
  }

 private:
  int64_t bytes() const { return type_ == ElementType::kFloat ? 4 : 2; }
  uint16_t* words() const { return reinterpret_cast<uint16_t*>(memory_); }

  ElementType type_;
  int64_t count_;
  char* memory_;
};

/// Dropout at a site; the pass's key is in memory shared by host and kernels.
inline DropoutCall dropout_of(double p, uint64_t pass_key) {
  auto* const place = static_cast<uint64_t*>(allocate_shared(sizeof(uint64_t)));
  *place = pass_key;
  return {p, {place, 3}};
}

/// 1 / (1 - p) if element i is kept, else 0.
inline double mask_at(const DropoutCall& call, int64_t i) {
  if (call.p == 0.0) return 1.0;
  return dropout_keeps(call.key.value(), static_cast<uint32_t>(i), dropout_threshold(call.p))
             ? 1.0 / (1.0 - call.p)
             : 0.0;
}

}  // namespace dietmt::kernels
