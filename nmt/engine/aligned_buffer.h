// Memory on cache lines that grows and never shrinks, so that a workspace stops allocating once it
// has seen the largest batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "nmt/engine/memory_block.h"

namespace dietmt::nmt {

template <typename T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  T* data() { return static_cast<T*>(block_.data()); }
  const T* data() const { return static_cast<const T*>(block_.data()); }

  /// Room for `count` elements. What was there stays; what is new is not initialised.
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
