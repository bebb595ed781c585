// Bytes on cache lines. A large block is mapped by itself: on huge pages where the system has them,
// since decoding reads its cache of keys and values in many short rows that would each need the
// address of a page, and it grows without being copied, so that its old and its new pages never
// exist side by side.
#pragma once

#include <cstddef>
#include <utility>

namespace dietmt::nmt {

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

  /// At least `bytes`, which is more than there is. What was there stays, elsewhere perhaps. Throws
  /// std::bad_alloc and changes nothing.
  void resize(size_t bytes);

 private:
  void swap(MemoryBlock& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }

  void* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace dietmt::nmt
