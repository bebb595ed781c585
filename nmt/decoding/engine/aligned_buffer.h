// Memory on cache lines that grows and never shrinks, so that a workspace stops allocating once it
// has seen the largest batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

namespace dietmt::nmt {

template <typename T>
class AlignedBuffer {
 public:
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }

  /// Room for `count` elements; what was there is lost if it has to grow.
  T* reserve(int64_t count) {
    if (count > capacity_) allocate(count + count / 2);
    return data_.get();
  }

  /// The same, keeping the first `kept` elements.
  T* grow(int64_t count, int64_t kept) {
    if (count <= capacity_) return data_.get();
    const auto old = std::move(data_);
    allocate(count);
    if (kept > 0) std::memcpy(data_.get(), old.get(), static_cast<size_t>(kept) * sizeof(T));
    return data_.get();
  }

 private:
  struct Free {
    void operator()(T* data) const { ::operator delete (data, std::align_val_t{kAlignment}); }
  };
  static constexpr size_t kAlignment = 64;

  void allocate(int64_t count) {
    data_.reset();
    const size_t bytes = static_cast<size_t>(count) * sizeof(T) + kAlignment;
    data_.reset(static_cast<T*>(::operator new (bytes, std::align_val_t{kAlignment})));
    capacity_ = count;
  }

  std::unique_ptr<T, Free> data_;
  int64_t capacity_ = 0;
};

}  // namespace dietmt::nmt
