// The memory of the counting device: two equal ranges of addresses. Tensors carry addresses of the
// first, which nobody can read or write; kernels work on the same place of the second, the mirror.
#pragma once

#include <c10/core/Allocator.h>

#include <cstddef>
#include <cstdint>

namespace dietmt::counting {

/// Whether an address belongs to the device.
bool is_device_memory(const void* address);

/// Whether an address is in the mirror.
bool is_mirror(const void* address);

/// The mirror of a device address, and the other way round. Null stays null.
void* mirror_of(const void* device_address);
void* device_address_of(const void* mirror);

c10::Allocator& device_allocator();

/// Host memory that copies need not stage.
c10::Allocator& pinned_allocator();
bool is_pinned(const void* address);

/// While it lives, CPU tensors of this thread get memory of the mirror, so that a result of a CPU
/// kernel becomes a device tensor without a copy.
class ResultsInMirror {
 public:
  ResultsInMirror();
  ~ResultsInMirror();
  ResultsInMirror(const ResultsInMirror&) = delete;
  ResultsInMirror& operator=(const ResultsInMirror&) = delete;
};

/// Replaces LibTorch's CPU allocator by one that knows ResultsInMirror.
void install_allocators();

/// A crash at a device address prints what happened and where.
void report_reads_of_device_memory();

int64_t bytes_in_use();
int64_t most_bytes_in_use();
void reset_most_bytes();

/// How often the allocator was asked to give back what it keeps.
int64_t cache_releases();

/// While it lives, allocations throw c10::OutOfMemoryError where more bytes than this would be in
/// use.
class MemoryLimit {
 public:
  explicit MemoryLimit(int64_t bytes);
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
};

}  // namespace dietmt::counting
