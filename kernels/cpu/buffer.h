// Memory of kernels, for sources that are compiled once for each instruction set. No std::vector:
// its out-of-line members, compiled here for one instruction set, could be linked into code that
// runs on every machine.
#pragma once

#include <omp.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace dietmt::kernels::DIETMT_ISA {

/// fp32 numbers on cache lines.
class Buffer {
 public:
  explicit Buffer(int64_t size) : size_(size) {
    const size_t bytes = (static_cast<size_t>(size) * sizeof(float) + 63) / 64 * 64;
    data_ = static_cast<float*>(std::aligned_alloc(64, bytes + 64));
    if (data_ == nullptr) throw std::bad_alloc();
  }
  ~Buffer() { std::free(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  float* get() { return data_; }
  const float* get() const { return data_; }
  void clear() { std::memset(data_, 0, static_cast<size_t>(size_) * sizeof(float)); }
  void clear(int64_t count) { std::memset(data_, 0, static_cast<size_t>(count) * sizeof(float)); }

 private:
  int64_t size_;
  float* data_;
};

/// A buffer for each thread of a parallel region, uninitialised. Allocate it before the region: an
/// exception such as std::bad_alloc that leaves the region would end the program.
class ThreadBuffers {
 public:
  explicit ThreadBuffers(int64_t size)
      : stride_((size + kLine - 1) / kLine * kLine), all_(omp_get_max_threads() * stride_) {}

  /// That of the calling thread.
  float* own() { return all_.get() + omp_get_thread_num() * stride_; }

 private:
  static constexpr int64_t kLine = 16;

  int64_t stride_;
  Buffer all_;
};

}  // namespace dietmt::kernels::DIETMT_ISA
