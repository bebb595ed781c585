// The memory of the counting device: two equal address ranges. Tensors have addresses of the first,
// which nobody can read or write; kernels work at the same offset in the second, the mirror.
#pragma once

#include <c10/core/Allocator.h>

#include <cstddef>
#include <cstdint>

namespace dietmt::counting {

/// Whether an address belongs to the device.
bool is_device_memory(const void* address);

/// Whether an address is in the mirror.
bool is_mirror(const void* address);

/// The mirror of a device address, and the reverse. Null stays null.
void* mirror_of(const void* device_address);
void* device_address_of(const void* mirror);

c10::Allocator& device_allocator();

/// Host memory that copies need not stage.
c10::Allocator& pinned_allocator();
bool is_pinned(const void* address);

/// While it lives, CPU tensors of this thread are allocated in the mirror, so that a CPU kernel's
/// result becomes a device tensor without a copy.
class ResultsInMirror {
 public:
  ResultsInMirror();
  ~ResultsInMirror();
  ResultsInMirror(const ResultsInMirror&) = delete;
  ResultsInMirror& operator=(const ResultsInMirror&) = delete;
};

/// Replaces LibTorch's CPU allocator with one that supports ResultsInMirror.
void install_allocators();

/// A crash at a device address prints what happened and where.
void report_reads_of_device_memory();

int64_t bytes_in_use();
int64_t most_bytes_in_use();
void reset_most_bytes();

/// How often the allocator was asked to release its cache.
int64_t cache_releases();

/// While it lives, allocations that would bring the bytes in use above this throw
/// c10::OutOfMemoryError.
class MemoryLimit {
 public:
  explicit MemoryLimit(int64_t bytes);
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
};

}  // namespace dietmt::counting
