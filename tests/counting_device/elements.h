// Device arrays as the counting device's fused kernels read and write them.
#pragma once

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "common/error.h"
#include "kernels/attention.h"
#include "kernels/device_kernels.h"
#include "kernels/dropout.h"
#include "tests/counting_device/device_memory.h"
#include "tests/counting_device/launch_log.h"
#include "tests/counting_device/recording.h"

namespace dietmt::counting {

/// The mirror of an array that must be on the device; null stays null.
template <typename T>
T* mirror_array(T* array, const char* name) {
  if (array != nullptr && !is_device_memory(array))
    throw Error(std::string("fused kernel: '") + name + "' is not in memory of the device");
  T* const mirror = static_cast<T*>(mirror_of(array));
  note_use(mirror);
  return mirror;
}

constexpr int64_t element_bytes(kernels::ElementType type) {
  return type == kernels::ElementType::kFloat ? 4 : 2;
}

/// Numbers of an element type, read and written as fp32.
class Elements {
 public:
  Elements(const void* device_array, kernels::ElementType type, const char* name)
      : data_(static_cast<char*>(mirror_array(const_cast<void*>(device_array), name))),
        type_(type) {}

  bool is_null() const { return data_ == nullptr; }

  float operator[](int64_t i) const {
    if (type_ == kernels::ElementType::kFloat) return reinterpret_cast<const float*>(data_)[i];
    if (type_ == kernels::ElementType::kHalf) return reinterpret_cast<const c10::Half*>(data_)[i];
    return reinterpret_cast<const c10::BFloat16*>(data_)[i];
  }

  void set(int64_t i, float value) const {
    if (type_ == kernels::ElementType::kFloat)
      reinterpret_cast<float*>(data_)[i] = value;
    else if (type_ == kernels::ElementType::kHalf)
      reinterpret_cast<c10::Half*>(data_)[i] = value;
    else
      reinterpret_cast<c10::BFloat16*>(data_)[i] = value;
  }

  /// Only if there are few (WithoutComputing).
  void set_zero(int64_t count) const {
    if (data_ == nullptr || count > kMostZeroedNumbers) return;
    std::memset(data_, 0, static_cast<size_t>(count * element_bytes(type_)));
  }

 private:
  char* data_;
  kernels::ElementType type_;
};

inline Elements floats(const float* array, const char* name) {
  return {array, kernels::ElementType::kFloat, name};
}

/// The current key, in device memory, of a dropout site that drops something.
inline uint64_t key_on_device(const kernels::DropoutKey& key) {
  return kernels::DropoutKey{mirror_array(key.pass_key, "pass_key"), key.site}.value();
}

/// The factor of element i: 0, or 1 / (1 - p).
class DropoutFactors {
 public:
  explicit DropoutFactors(const kernels::DropoutCall& call)
      : key_(call.p > 0.0 ? key_on_device(call.key) : 0),
        threshold_(call.p > 0.0 ? kernels::dropout_threshold(call.p) : 0),
        scale_(static_cast<float>(1.0 / (1.0 - call.p))) {}
  float operator[](int64_t i) const {
    return kernels::dropout_keeps(key_, static_cast<uint32_t>(i), threshold_) ? scale_ : 0.0f;
  }

 private:
  uint64_t key_;
  uint32_t threshold_;
  float scale_;
};

}  // namespace dietmt::counting
