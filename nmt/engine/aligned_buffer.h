// Memory aligned to cache lines that grows and never shrinks, so that a workspace stops allocating
// once it has seen the largest batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace dietmt::nmt {

/// Bytes aligned to cache lines. A large block has its own mapping, on huge pages if the system has
/// them: decoding reads its cache of keys and values in many short rows, each with the address of
/// another page. Such a block grows without a copy, so that old and new pages never exist
/// at the same time.
class MemoryBlock {
 public:
  MemoryBlock() = default;
  MemoryBlock(MemoryBlock&& other) noexcept { swap(other); }
  MemoryBlock& operator=(MemoryBlock&& other) noexcept {
    swap(other);
    return *this;
  }
  ~MemoryBlock();

  void* data() { return data_; }
  const void* data() const { return data_; }

  /// Grows to at least `bytes`, which must be more than before. Keeps the contents, but may move
  /// them. If it throws std::bad_alloc, nothing has changed.
  void resize(size_t bytes);

 private:
  void swap(MemoryBlock& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }

  void* data_ = nullptr;
  size_t bytes_ = 0;
};

/// An array of elements in such memory.
template <typename T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  T* data() { return static_cast<T*>(block_.data()); }
  const T* data() const { return static_cast<const T*>(block_.data()); }

  /// Makes room for `count` elements. Keeps the contents; new elements are not initialised.
  T* reserve(int64_t count) {
    if (count > capacity_) {
      block_.resize(static_cast<size_t>(count + count / 2) * sizeof(T));
      capacity_ = count + count / 2;
    }
    return data();
  }

 private:
  MemoryBlock block_;
  int64_t capacity_ = 0;
};

}  // namespace dietmt::nmt
